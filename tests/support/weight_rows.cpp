#include "support/weight_rows.h"

#include <cstring>

namespace llm::test {

namespace {

uint8_t quant_byte(WeightStyle style, Random &random) {
    switch (style) {
        case WeightStyle::all_ones:
        case WeightStyle::all_ones_mild:
            return 0xff;
        case WeightStyle::lowest_bytes:
            return 0x80;
        default:
            return static_cast<uint8_t>(random());
    }
}

uint16_t half_bits(WeightStyle style, Random &random) {
    const auto sign = static_cast<uint16_t>((random() & 1) << 15);
    const auto low = static_cast<uint16_t>(random() & 0x3ff);
    switch (style) {
        case WeightStyle::any_bits:
            return static_cast<uint16_t>(random());
        case WeightStyle::all_ones:
            return sign | 0x7bff;
        case WeightStyle::all_ones_mild:
        case WeightStyle::lowest_bytes:
            return sign | 0x3c00;
        case WeightStyle::zero_scales:
            return sign;
        case WeightStyle::subnormal_scales:
            return sign | low;
        case WeightStyle::ordinary:
            break;
    }
    const auto exponent = static_cast<uint16_t>(3 + random() % 14);  // magnitudes from 2^-12 to 4
    return static_cast<uint16_t>(sign | exponent << 10 | low);
}

// The element of an unquantized type whose values are not half floats.
template <class Bits>
void put_float(uint8_t *to, WeightStyle style, Random &random) {
    constexpr int unused_bits = 8 * (4 - static_cast<int>(sizeof(Bits)));  // of the float, as for bfloat16
    uint32_t bits = static_cast<uint32_t>(random());
    switch (style) {
        case WeightStyle::any_bits:
            break;
        case WeightStyle::all_ones:
            bits = (bits & 0x80000000u) | 0x7f7fffffu;
            break;
        case WeightStyle::all_ones_mild:
            bits = 0xbfffffffu;
            break;
        case WeightStyle::lowest_bytes:
            bits = 0x80808080u;
            break;
        case WeightStyle::zero_scales:
            bits &= 0x80000000u;
            break;
        case WeightStyle::subnormal_scales:
            bits &= 0x807fffffu;
            break;
        case WeightStyle::ordinary:
            bits = (bits & 0x807fffffu) | (110 + random() % 20) << 23;
            break;
    }
    const auto kept = static_cast<Bits>(bits >> unused_bits);
    std::memcpy(to, &kept, sizeof kept);
}

void put_block(uint8_t *to, const WeightType &type, WeightStyle style, Random &random) {
    if (type.type == TensorType::f32) return put_float<uint32_t>(to, style, random);
    if (type.type == TensorType::bf16) return put_float<uint16_t>(to, style, random);
    for (uint32_t i = 0; i < type.block_bytes; ++i) to[i] = quant_byte(style, random);
    for (const int offset : type.half_fields) {
        if (offset < 0) continue;
        const uint16_t bits = half_bits(style, random);
        std::memcpy(to + offset, &bits, sizeof bits);
    }
    // MXFP4's scale is an exponent: kept where sums of products are finite, but for the styles of extremes.
    if (type.type == TensorType::mxfp4 && style == WeightStyle::ordinary)
        to[0] = static_cast<uint8_t>(110 + to[0] % 30);
    if (type.type == TensorType::mxfp4 && style == WeightStyle::all_ones_mild) to[0] = 127;
    if (type.type == TensorType::mxfp4 && style == WeightStyle::zero_scales) to[0] = 0;
    if (type.type == TensorType::mxfp4 && style == WeightStyle::subnormal_scales) to[0] %= 3;
}

}  // namespace

std::vector<uint8_t> make_weight_rows(const WeightType &type, WeightStyle style, uint32_t row_count, uint32_t columns,
                                      Random &random) {
    const size_t blocks = size_t{row_count} * (columns / type.block_length);
    std::vector<uint8_t> rows(blocks * type.block_bytes);
    for (size_t i = 0; i < blocks; ++i) put_block(rows.data() + i * type.block_bytes, type, style, random);
    return rows;
}

}  // namespace llm::test
