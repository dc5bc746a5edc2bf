// Packs rows lane by lane: each block of a row is rearranged in registers and its dwords are put into the row's lane.
#include "quant/packing.h"

#include "base/error.h"
#include "base/half.h"
#include "base/unaligned.h"
#include "quant/block_formats.h"
#include "quant/block_scales.h"
#include "quant/packed_blocks.h"
#include "quant/packed_unit.h"

#include <bit>
#include <cstring>

namespace llm {

namespace {

uint32_t dword_at(const uint8_t *bytes) { return load_unaligned<uint32_t>(bytes); }
uint16_t word_at(const uint8_t *bytes) { return load_unaligned<uint16_t>(bytes); }

// ---- Rearranging the elements of one row's unit -------------------------------------------------------------------

// Exchanges the bits of x whose indexes differ in that one has bit a and not bit b (a < b), and the other the reverse.
template <int a, int b>
uint32_t exchange_index_bits(uint32_t x) {
    constexpr uint32_t mask = [] {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < 32; ++i)
            if ((i >> a & 1) == 1 && (i >> b & 1) == 0) bits |= 1u << i;
        return bits;
    }();
    constexpr int distance = (1 << b) - (1 << a);
    const uint32_t differing = (x ^ (x >> distance)) & mask;
    return x ^ differing ^ (differing << distance);
}

// Moves bit 4g + b to 8b + g (g = 0..7, b = 0..3): the order of a ones plane.
uint32_t ones_plane_order(uint32_t x) {
    return exchange_index_bits<3, 4>(
        exchange_index_bits<2, 4>(exchange_index_bits<1, 3>(exchange_index_bits<0, 2>(x))));
}

// Sixteen bytes that are in the order of a unit already.
void put_nibbles(packed::Nibbles &to, uint32_t lane, const uint8_t *from) {
    for (uint32_t v = 0; v < 4; ++v) to.dword[v][lane] = dword_at(from + 4 * v);
}

// Element l from the low (shift 0) or the high (shift 4) half of byte l of 32.
void put_nibbles(packed::Nibbles &to, uint32_t lane, const uint8_t *from, uint32_t shift) {
    constexpr uint32_t mask = 0x0f0f0f0f;
    for (uint32_t v = 0; v < 4; ++v) {
        const uint32_t first = (dword_at(from + 4 * v) >> shift) & mask;
        const uint32_t second = (dword_at(from + 16 + 4 * v) >> shift) & mask;
        to.dword[v][lane] = first | second << 4;
    }
}

// Element l from bit `shift` of byte l of 32.
void put_ones(packed::OnesPlane &to, uint32_t lane, const uint8_t *from, uint32_t shift) {
    constexpr uint32_t mask = 0x01010101;
    uint32_t plane = 0;
    for (uint32_t g = 0; g < 8; ++g) plane |= ((dword_at(from + 4 * g) >> shift) & mask) << g;
    to.dword[lane] = plane;
}

// Element l from bits `shift` and `shift` + 1 of byte l of 32.
void put_twos(packed::TwosPlane &to, uint32_t lane, const uint8_t *from, uint32_t shift) {
    constexpr uint32_t mask = 0x03030303;
    for (uint32_t h = 0; h < 2; ++h) {
        uint32_t plane = 0;
        for (uint32_t g = 0; g < 4; ++g) plane |= ((dword_at(from + 16 * h + 4 * g) >> shift) & mask) << (2 * g);
        to.dword[h][lane] = plane;
    }
}

// ---- One block of one row into its lane ---------------------------------------------------------------------------

void pack_lane(packed::Q4_0 &to, uint32_t lane, const BlockQ4_0 &from) {
    to.d[lane] = word_at(from.d);
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void pack_lane(packed::Q4_1 &to, uint32_t lane, const BlockQ4_1 &from) {
    to.d[lane] = word_at(from.d);
    to.m[lane] = word_at(from.m);
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void pack_lane(packed::Q5_0 &to, uint32_t lane, const BlockQ5_0 &from) {
    to.d[lane] = word_at(from.d);
    to.high.dword[lane] = ones_plane_order(dword_at(from.high_bits));
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void pack_lane(packed::Q5_1 &to, uint32_t lane, const BlockQ5_1 &from) {
    to.d[lane] = word_at(from.d);
    to.m[lane] = word_at(from.m);
    to.high.dword[lane] = ones_plane_order(dword_at(from.high_bits));
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void pack_lane(packed::Q8_0 &to, uint32_t lane, const BlockQ8_0 &from) {
    to.d[lane] = word_at(from.d);
    for (uint32_t g = 0; g < 8; ++g) to.bytes.dword[g][lane] = load_unaligned<uint32_t>(from.q + 4 * g) ^ 0x80808080;
}

void pack_lane(packed::IQ4_NL &to, uint32_t lane, const BlockIQ4_NL &from) {
    to.d[lane] = word_at(from.d);
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void pack_lane(packed::MXFP4 &to, uint32_t lane, const BlockMXFP4 &from) {
    to.exponent[lane] = from.exponent;
    put_nibbles(to.nibbles, lane, from.nibbles);
}

void put_k_scales(uint8_t scale_to[8][16], uint8_t minimum_to[8][16], uint32_t lane, const uint8_t packed[12]) {
    uint8_t scale[8], minimum[8];
    read_k_scales(scale, minimum, packed);
    for (uint32_t u = 0; u < 8; ++u) {
        scale_to[u][lane] = scale[u];
        minimum_to[u][lane] = minimum[u];
    }
}

void pack_lane(packed::Q4_K &to, uint32_t lane, const BlockQ4_K &from) {
    to.d[lane] = word_at(from.d);
    to.dmin[lane] = word_at(from.dmin);
    put_k_scales(to.scale, to.minimum, lane, from.scales);
    for (uint32_t u = 0; u < 8; ++u) put_nibbles(to.unit[u].nibbles, lane, from.nibbles + u / 2 * 32, u % 2 * 4);
}

void pack_lane(packed::Q5_K &to, uint32_t lane, const BlockQ5_K &from) {
    to.d[lane] = word_at(from.d);
    to.dmin[lane] = word_at(from.dmin);
    put_k_scales(to.scale, to.minimum, lane, from.scales);
    for (uint32_t u = 0; u < 8; ++u) {
        put_ones(to.unit[u].high, lane, from.high_bits, u);
        put_nibbles(to.unit[u].nibbles, lane, from.nibbles + u / 2 * 32, u % 2 * 4);
    }
}

void pack_lane(packed::IQ4_XS &to, uint32_t lane, const BlockIQ4_XS &from) {
    to.d[lane] = word_at(from.d);
    int8_t scale[8];
    read_iq4_xs_scales(scale, from);
    for (uint32_t u = 0; u < 8; ++u) {
        to.scale[u][lane] = scale[u];
        put_nibbles(to.unit[u].nibbles, lane, from.nibbles + 16 * u);
    }
}

void pack_lane(packed::Q2_K &to, uint32_t lane, const BlockQ2_K &from) {
    to.d[lane] = word_at(from.d);
    to.dmin[lane] = word_at(from.dmin);
    for (uint32_t h = 0; h < 16; ++h) to.scale_minimum[h][lane] = from.scales[h];
    for (uint32_t u = 0; u < 8; ++u) put_twos(to.unit[u].low, lane, from.pairs + u / 4 * 32, u % 4 * 2);
}

void pack_lane(packed::Q3_K &to, uint32_t lane, const BlockQ3_K &from) {
    to.d[lane] = word_at(from.d);
    int8_t scale[16];
    read_q3_scales(scale, from.scales);
    for (uint32_t h = 0; h < 16; ++h) to.scale[h][lane] = scale[h];
    for (uint32_t u = 0; u < 8; ++u) {
        put_twos(to.unit[u].low, lane, from.pairs + u / 4 * 32, u % 4 * 2);
        put_ones(to.unit[u].high, lane, from.high_bits, u);
    }
}

void pack_lane(packed::Q6_K &to, uint32_t lane, const BlockQ6_K &from) {
    to.d[lane] = word_at(from.d);
    for (uint32_t h = 0; h < 16; ++h) to.scale[h][lane] = from.scales[h];
    for (uint32_t u = 0; u < 8; ++u) {
        put_twos(to.unit[u].high, lane, from.pairs + u / 4 * 32, u % 4 * 2);
        put_nibbles(to.unit[u].nibbles, lane, from.nibbles + u / 4 * 64 + u % 2 * 32, u % 4 / 2 * 4);
    }
}

// ---- Whole groups -------------------------------------------------------------------------------------------------

template <class Packed, class Block>
void pack_blocks(uint8_t *out, const uint8_t *rows, size_t row_bytes, uint32_t row_count, uint64_t columns) {
    auto *to = reinterpret_cast<Packed *>(out);
    for (uint64_t i = 0; i < columns / Block::length; ++i) {
        if (row_count < rows_per_group) std::memset(to + i, 0, sizeof(Packed));
        const uint8_t *from = rows + i * sizeof(Block);
        for (uint32_t lane = 0; lane < row_count; ++lane)
            pack_lane(to[i], lane, *reinterpret_cast<const Block *>(from + lane * row_bytes));
    }
}

template <class Packed, class Block>
void dequantize_lane(float *out, const uint8_t *group, uint32_t lane, uint64_t columns) {
    const auto *blocks = reinterpret_cast<const Packed *>(group);
    ExpandedUnit unit;
    for (uint64_t i = 0; i < columns / unit_length; ++i) {
        expand_unit(unit, blocks[i / Packed::units], static_cast<uint32_t>(i % Packed::units));
        for (uint32_t e = 0; e < unit_length; ++e) {
            const uint32_t part = e / (unit_length / Packed::parts);
            const float value = unit.scale[part][lane] * static_cast<float>(unit.q[e][lane]);
            out[i * unit_length + e] = Packed::has_minimum ? value + unit.minimum[part][lane] : value;
        }
    }
}

// F32, F16 and BF16: the bits of each column's sixteen elements.
template <class Bits>
void pack_columns(uint8_t *out, const uint8_t *rows, size_t row_bytes, uint32_t row_count, uint64_t columns) {
    auto *to = reinterpret_cast<Bits *>(out);
    for (uint64_t column = 0; column < columns; ++column, to += rows_per_group) {
        const uint8_t *from = rows + column * sizeof(Bits);
        for (uint32_t lane = 0; lane < row_count; ++lane) to[lane] = load_unaligned<Bits>(from + lane * row_bytes);
        for (uint32_t lane = row_count; lane < rows_per_group; ++lane) to[lane] = 0;
    }
}

template <class Bits, float (*widen)(Bits)>
void widen_lane(float *out, const uint8_t *group, uint32_t lane, uint64_t columns) {
    const auto *from = reinterpret_cast<const Bits *>(group);
    for (uint64_t column = 0; column < columns; ++column) out[column] = widen(from[column * rows_per_group + lane]);
}

float float_from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

// ---- The table of formats -----------------------------------------------------------------------------------------

struct PackedFormat {
    TensorType type;
    uint32_t block_length;
    size_t packed_block_bytes;
    void (*pack)(uint8_t *out, const uint8_t *rows, size_t row_bytes, uint32_t row_count, uint64_t columns);
    void (*dequantize)(float *out, const uint8_t *group, uint32_t lane, uint64_t columns);
};

template <class Packed, class Block>
constexpr PackedFormat quantized(TensorType type) {
    static_assert(Packed::units * unit_length == Block::length);
    return {type, Block::length, sizeof(Packed), pack_blocks<Packed, Block>, dequantize_lane<Packed, Block>};
}

template <class Bits, float (*widen)(Bits)>
constexpr PackedFormat unquantized(TensorType type) {
    return {type, 1, rows_per_group * sizeof(Bits), pack_columns<Bits>, widen_lane<Bits, widen>};
}

constexpr PackedFormat packed_formats[] = {
    unquantized<uint32_t, float_from_bits>(TensorType::f32),
    unquantized<uint16_t, half_to_float>(TensorType::f16),
    unquantized<uint16_t, bfloat_to_float>(TensorType::bf16),
    quantized<packed::Q4_0, BlockQ4_0>(TensorType::q4_0),
    quantized<packed::Q4_1, BlockQ4_1>(TensorType::q4_1),
    quantized<packed::Q5_0, BlockQ5_0>(TensorType::q5_0),
    quantized<packed::Q5_1, BlockQ5_1>(TensorType::q5_1),
    quantized<packed::Q8_0, BlockQ8_0>(TensorType::q8_0),
    quantized<packed::IQ4_NL, BlockIQ4_NL>(TensorType::iq4_nl),
    quantized<packed::MXFP4, BlockMXFP4>(TensorType::mxfp4),
    quantized<packed::Q2_K, BlockQ2_K>(TensorType::q2_k),
    quantized<packed::Q3_K, BlockQ3_K>(TensorType::q3_k),
    quantized<packed::Q4_K, BlockQ4_K>(TensorType::q4_k),
    quantized<packed::Q5_K, BlockQ5_K>(TensorType::q5_k),
    quantized<packed::Q6_K, BlockQ6_K>(TensorType::q6_k),
    quantized<packed::IQ4_XS, BlockIQ4_XS>(TensorType::iq4_xs),
};

const PackedFormat *find_format(TensorType type) {
    for (const PackedFormat &format : packed_formats)
        if (format.type == type) return &format;
    return nullptr;
}

const PackedFormat &require_format(TensorType type) {
    const PackedFormat *format = find_format(type);
    if (format == nullptr)
        fail(LLM_ERROR_INTERNAL, "tensor type ", static_cast<uint32_t>(type), " has no packed layout");
    return *format;
}

}  // namespace

bool is_packable(TensorType type) { return find_format(type) != nullptr; }

size_t packed_group_bytes(TensorType type, uint64_t columns) {
    const PackedFormat &format = require_format(type);
    return columns / format.block_length * format.packed_block_bytes;
}

void pack_group(uint8_t *out, TensorType type, const uint8_t *rows, size_t row_bytes, uint32_t row_count,
                uint64_t columns) {
    require_format(type).pack(out, rows, row_bytes, row_count, columns);
}

void dequantize_packed_row(float *out, TensorType type, const uint8_t *group, uint32_t lane, uint64_t columns) {
    require_format(type).dequantize(out, group, lane, columns);
}

}  // namespace llm
