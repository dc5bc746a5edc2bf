// Every element is found from its index in the block, byte offsets being those of the formats' descriptions.
#include "kernels/matmul_reference.h"

#include "base/half.h"

#include <cmath>
#include <cstring>

namespace llm::test {

namespace {

template <class T>
T get(const uint8_t *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

float half(const uint8_t *from) { return half_to_float(get<uint16_t>(from)); }

int bits(uint32_t from, uint32_t first, uint32_t count) {
    return static_cast<int>(from >> first & ((1u << count) - 1));
}

// Formats of 32 elements: half byte of element e, low halves first.
int nibble_32(const uint8_t *q, uint32_t e) { return e < 16 ? q[e] & 15 : q[e - 16] >> 4; }

// K formats: element e lies in half block e / 128, and there in group e / 32 % 4.
int two_bits_k(const uint8_t *q, uint32_t e) { return bits(q[e / 128 * 32 + e % 32], e / 32 % 4 * 2, 2); }
int nibble_k(const uint8_t *q, uint32_t e) { return bits(q[e / 64 * 32 + e % 32], e % 64 < 32 ? 0 : 4, 4); }
int nibble_q6_k(const uint8_t *q, uint32_t e) { return bits(q[e / 128 * 64 + e % 64], e % 128 < 64 ? 0 : 4, 4); }
int one_bit_k(const uint8_t *q, uint32_t e) { return bits(q[e % 32], e / 32, 1); }

int fourth_iq4(int index) {
    static constexpr int values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    return values[index];
}

// Twice an E2M1 number: sign, two bits of exponent, one of mantissa.
int doubled_e2m1(int index) {
    const int exponent = index >> 1 & 3, mantissa = index & 1;
    const int magnitude = exponent == 0 ? mantissa : (2 + mantissa) << (exponent - 1);
    return index & 8 ? -magnitude : magnitude;
}

int quant(TensorType type, const uint8_t *b, uint32_t e) {
    switch (type) {
        case TensorType::q4_0:
            return nibble_32(b + 2, e) - 8;
        case TensorType::q4_1:
            return nibble_32(b + 4, e);
        case TensorType::q5_0:
            return (nibble_32(b + 6, e) | bits(get<uint32_t>(b + 2), e, 1) << 4) - 16;
        case TensorType::q5_1:
            return nibble_32(b + 8, e) | bits(get<uint32_t>(b + 4), e, 1) << 4;
        case TensorType::q8_0:
            return static_cast<int8_t>(b[2 + e]);
        case TensorType::iq4_nl:
            return fourth_iq4(nibble_32(b + 2, e));
        case TensorType::mxfp4:
            return doubled_e2m1(nibble_32(b + 1, e));
        case TensorType::q2_k:
            return two_bits_k(b + 16, e);
        case TensorType::q3_k:
            return (two_bits_k(b + 32, e) | one_bit_k(b, e) << 2) - 4;
        case TensorType::q4_k:
            return nibble_k(b + 16, e);
        case TensorType::q5_k:
            return nibble_k(b + 48, e) | one_bit_k(b + 16, e) << 4;
        case TensorType::q6_k:
            return (nibble_q6_k(b, e) | two_bits_k(b + 128, e) << 4) - 32;
        case TensorType::iq4_xs:
            return fourth_iq4(nibble_32(b + 8 + e / 32 * 16, e % 32));
        default:
            return 0;
    }
}

// The sixteen 6-bit scales of Q3_K: their low four bits fill eight bytes, low halves first; two high bits are in the
// last four bytes, four scales in each bit pair.
int scale_q3_k(const uint8_t *s, uint32_t j) {
    return (bits(s[j % 8], j < 8 ? 0 : 4, 4) | bits(s[8 + j % 4], j / 4 * 2, 2) << 4) - 32;
}

// The 6-bit scales (first = 0) or minima (first = 4) of Q4_K and Q5_K.
int scale_k(const uint8_t *s, uint32_t j, uint32_t first) {
    if (j < 4) return bits(s[first + j], 0, 6);
    return bits(s[4 + j], first, 4) | bits(s[first + j - 4], 6, 2) << 4;
}

float scale(TensorType type, const uint8_t *b, uint32_t part) {
    switch (type) {
        case TensorType::mxfp4:
            return static_cast<float>(std::ldexp(1.0, b[0] - 128));
        case TensorType::q2_k:
            return half(b + 80) * static_cast<float>(b[part] & 15);
        case TensorType::q3_k:
            return half(b + 108) * static_cast<float>(scale_q3_k(b + 96, part));
        case TensorType::q4_k:
        case TensorType::q5_k:
            return half(b) * static_cast<float>(scale_k(b + 4, part, 0));
        case TensorType::q6_k:
            return half(b + 208) * static_cast<float>(static_cast<int8_t>(b[192 + part]));
        case TensorType::iq4_xs: {
            const int high = bits(get<uint16_t>(b + 2), 2 * part, 2);
            return half(b) * static_cast<float>((bits(b[4 + part / 2], part % 2 * 4, 4) | high << 4) - 32);
        }
        default:
            return half(b);
    }
}

float minimum(TensorType type, const uint8_t *b, uint32_t part) {
    switch (type) {
        case TensorType::q4_1:
        case TensorType::q5_1:
            return half(b + 2);
        case TensorType::q2_k:
            return -(half(b + 82) * static_cast<float>(b[part] >> 4));
        case TensorType::q4_k:
        case TensorType::q5_k:
            return -(half(b + 2) * static_cast<float>(scale_k(b + 4, part, 4)));
        default:
            return 0;
    }
}

bool has_minimum(TensorType type) {
    return type == TensorType::q4_1 || type == TensorType::q5_1 || type == TensorType::q2_k ||
           type == TensorType::q4_k || type == TensorType::q5_k;
}

bool has_half_units(TensorType type) {
    return type == TensorType::q2_k || type == TensorType::q3_k || type == TensorType::q6_k;
}

float unquantized(TensorType type, const uint8_t *row, uint32_t k) {
    if (type == TensorType::f32) return get<float>(row + 4 * size_t{k});
    if (type == TensorType::f16) return half(row + 2 * size_t{k});
    return bfloat_to_float(get<uint16_t>(row + 2 * size_t{k}));
}

}  // namespace

ReferenceRow read_reference_row(const WeightType &type, const uint8_t *row, uint32_t columns) {
    ReferenceRow out;
    if (type.block_length == 1) {
        for (uint32_t k = 0; k < columns; ++k) out.value.push_back(unquantized(type.type, row, k));
        return out;
    }
    out.has_minimum = has_minimum(type.type);
    out.part_length = has_half_units(type.type) ? 16 : 32;
    for (uint32_t k = 0; k < columns; ++k) {
        const uint8_t *block = row + size_t{k / type.block_length} * type.block_bytes;
        const uint32_t e = k % type.block_length;
        out.q.push_back(static_cast<int8_t>(quant(type.type, block, e)));
        if (k % out.part_length != 0) continue;
        out.scale.push_back(scale(type.type, block, e / out.part_length));
        out.minimum.push_back(minimum(type.type, block, e / out.part_length));
    }
    return out;
}

float reference_product(const ReferenceRow &row, const ReferenceToken &x, uint32_t columns) {
    float acc = 0;
    for (uint32_t k = 0; k < row.value.size(); ++k) acc = std::fma(row.value[k], x.x_float[k], acc);
    if (!row.value.empty()) return acc;
    for (uint32_t first = 0, part = 0; first < columns; first += row.part_length, ++part) {
        const float scale_activation = x.scale[first / 32];
        int32_t isum = 0, sum = 0;
        for (uint32_t k = first; k < first + row.part_length; ++k) {
            isum += row.q[k] * x.q[k];
            sum += x.q[k];
        }
        acc = std::fma(static_cast<float>(isum) * scale_activation, row.scale[part], acc);
        if (row.has_minimum) acc = std::fma(row.minimum[part], scale_activation * static_cast<float>(sum), acc);
    }
    return acc;
}

}  // namespace llm::test
