// The packed formats of quant/packing.h as the AVX-512 matrix kernels read them. A format is a struct with
//
//   units, block_bytes       units of 32 elements in a packed block, bytes of the block
//   scales                   scales of a unit: 1, or 2 for formats that scale each half unit on its own
//   has_minimum              whether a value has a second term, the minimum
//   offset                   what the unpacked numbers are too large by, so that all are unsigned bytes
//   header(block)            what is read once for each block
//   quants(q, block, u)      unit u of sixteen rows: byte b of lane r of q[g] is element 4g + b of row r, plus offset
//   scale(h, block, u, i)    scale_weight of scale i of unit u, sixteen rows
//   minimum(h, block, u, i)  min_weight, likewise (only if has_minimum)
#pragma once

#include "kernels/avx512/simd.h"
#include "quant/packing.h"

namespace llm::avx512 {

constexpr size_t vector_bytes = 64;
constexpr size_t half_bytes = 2 * rows_per_group;  // sixteen half floats
constexpr size_t nibble_bytes = 4 * vector_bytes;  // the nibbles of a unit
constexpr uint32_t k_units = 8;                    // units in a block of the K formats

LLM_SIMD void unpack_nibbles(__m512i (&q)[8], const uint8_t *p) {
    const __m512i mask = _mm512_set1_epi8(15);
    LLM_UNROLL
    for (int v = 0; v < 4; ++v) {
        const __m512i pair = load512(p + v * vector_bytes);
        q[v] = _mm512_and_si512(pair, mask);
        q[4 + v] = _mm512_and_si512(_mm512_srli_epi16(pair, 4), mask);
    }
}

// (p shifted so that bit `from` of each byte becomes bit `to`) & mask, or-ed into q.
LLM_SIMD __m512i merge_bits(__m512i q, __m512i p, int from, int to, __m512i mask) {
    const __m512i moved = from <= to ? _mm512_slli_epi16(p, static_cast<unsigned>(to - from))
                                     : _mm512_srli_epi16(p, static_cast<unsigned>(from - to));
    return _mm512_ternarylogic_epi32(q, moved, mask, 0xf8);  // q | (moved & mask)
}

// Adds a plane of single bits as bit `to` of every element.
LLM_SIMD void merge_ones(__m512i (&q)[8], const uint8_t *p, int to) {
    const __m512i mask = _mm512_set1_epi8(static_cast<char>(1 << to));
    const __m512i plane = load512(p);
    LLM_UNROLL
    for (int g = 0; g < 8; ++g) q[g] = merge_bits(q[g], plane, g, to, mask);
}

// Adds a plane of bit pairs as bits `to`, `to` + 1 of every element.
LLM_SIMD void merge_twos(__m512i (&q)[8], const uint8_t *p, int to) {
    const __m512i mask = _mm512_set1_epi8(static_cast<char>(3 << to));
    LLM_UNROLL
    for (int half = 0; half < 2; ++half) {
        const __m512i plane = load512(p + half * vector_bytes);
        LLM_UNROLL
        for (int g = 0; g < 4; ++g) q[4 * half + g] = merge_bits(q[4 * half + g], plane, 2 * g, to, mask);
    }
}

LLM_SIMD void unpack_twos(__m512i (&q)[8], const uint8_t *p) {
    const __m512i mask = _mm512_set1_epi8(3);
    LLM_UNROLL
    for (int half = 0; half < 2; ++half) {
        const __m512i plane = load512(p + half * vector_bytes);
        LLM_UNROLL
        for (int g = 0; g < 4; ++g)
            q[4 * half + g] = _mm512_and_si512(_mm512_srli_epi16(plane, static_cast<unsigned>(2 * g)), mask);
    }
}

LLM_SIMD void look_up(__m512i (&q)[8], __m128i table) {
    const __m512i values = _mm512_broadcast_i32x4(table);
    LLM_UNROLL
    for (int g = 0; g < 8; ++g) q[g] = _mm512_shuffle_epi8(values, q[g]);
}

// The table T of IQ4_NL and IQ4_XS, and F of MXFP4 (doubled), each + 128.
LLM_SIMD __m128i iq4_table() {
    return _mm_setr_epi8(1, 24, 45, 63, 79, 93, 106, 118, static_cast<char>(129), static_cast<char>(141),
                         static_cast<char>(153), static_cast<char>(166), static_cast<char>(181), static_cast<char>(197),
                         static_cast<char>(217), static_cast<char>(241));
}
LLM_SIMD __m128i mxfp4_table() {
    const __m128i values = _mm_setr_epi8(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);
    return _mm_xor_si128(values, _mm_set1_epi8(static_cast<char>(0x80)));
}

// ---- Formats with blocks of one unit --------------------------------------------------------------------------------

struct ScaleHeader {
    __m512 d;
};
struct MinimumHeader {
    __m512 d, minimum;
};

// A scale, then what the formats below say.
struct UnitWithScale {
    static constexpr uint32_t units = 1, scales = 1;
    static constexpr bool has_minimum = false;
    static constexpr size_t quants_at = half_bytes;
    using Header = ScaleHeader;

    static LLM_SIMD Header header(const uint8_t *block) { return {load_f16(block)}; }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *, uint32_t, uint32_t) { return header.d; }
};

struct UnitWithMinimum {
    static constexpr uint32_t units = 1, scales = 1;
    static constexpr bool has_minimum = true;
    static constexpr int offset = 0;
    static constexpr size_t quants_at = 2 * half_bytes;
    using Header = MinimumHeader;

    static LLM_SIMD Header header(const uint8_t *block) { return {load_f16(block), load_f16(block + half_bytes)}; }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *, uint32_t, uint32_t) { return header.d; }
    static LLM_SIMD __m512 minimum(const Header &header, const uint8_t *, uint32_t, uint32_t) { return header.minimum; }
};

struct Q4_0 : UnitWithScale {
    static constexpr int offset = 8;
    static constexpr size_t block_bytes = quants_at + nibble_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at);
    }
};

struct Q4_1 : UnitWithMinimum {
    static constexpr size_t block_bytes = quants_at + nibble_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at);
    }
};

struct Q5_0 : UnitWithScale {
    static constexpr int offset = 16;
    static constexpr size_t block_bytes = quants_at + vector_bytes + nibble_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at + vector_bytes);
        merge_ones(q, block + quants_at, 4);
    }
};

struct Q5_1 : UnitWithMinimum {
    static constexpr size_t block_bytes = quants_at + vector_bytes + nibble_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at + vector_bytes);
        merge_ones(q, block + quants_at, 4);
    }
};

struct Q8_0 : UnitWithScale {
    static constexpr int offset = 128;
    static constexpr size_t block_bytes = quants_at + 8 * vector_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        LLM_UNROLL
        for (int g = 0; g < 8; ++g) q[g] = load512(block + quants_at + g * vector_bytes);
    }
};

struct IQ4_NL : UnitWithScale {
    static constexpr int offset = 128;
    static constexpr size_t block_bytes = quants_at + nibble_bytes;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at);
        look_up(q, iq4_table());
    }
};

struct MXFP4 {
    static constexpr uint32_t units = 1, scales = 1;
    static constexpr bool has_minimum = false;
    static constexpr int offset = 128;
    static constexpr size_t quants_at = rows_per_group;
    static constexpr size_t block_bytes = quants_at + nibble_bytes;
    using Header = ScaleHeader;

    // 2^(e - 128) for each row: a denormal number for e < 2.
    static LLM_SIMD Header header(const uint8_t *block) {
        const __m512i e = _mm512_cvtepu8_epi32(load128(block));
        const __mmask16 denormal = _mm512_cmplt_epi32_mask(e, _mm512_set1_epi32(2));
        const __m512i bits = _mm512_slli_epi32(_mm512_sub_epi32(e, _mm512_set1_epi32(1)), 23);
        return {_mm512_castsi512_ps(_mm512_mask_sllv_epi32(bits, denormal, _mm512_set1_epi32(0x00200000), e))};
    }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *, uint32_t, uint32_t) { return header.d; }
    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t) {
        unpack_nibbles(q, block + quants_at);
        look_up(q, mxfp4_table());
    }
};

// ---- Formats with blocks of eight units -----------------------------------------------------------------------------

// d, dmin, eight rows of scales, eight rows of minimums, then the units.
template <size_t unit_bytes>
struct BlockWithMinimum {
    static constexpr uint32_t units = k_units, scales = 1;
    static constexpr bool has_minimum = true;
    static constexpr int offset = 0;
    static constexpr size_t scales_at = 2 * half_bytes;
    static constexpr size_t minimums_at = scales_at + k_units * rows_per_group;
    static constexpr size_t quants_at = minimums_at + k_units * rows_per_group;
    static constexpr size_t block_bytes = quants_at + k_units * unit_bytes;
    using Header = MinimumHeader;

    static LLM_SIMD Header header(const uint8_t *block) {
        const __m512 sign = _mm512_set1_ps(-0.0f);
        return {load_f16(block), _mm512_xor_ps(load_f16(block + half_bytes), sign)};
    }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *block, uint32_t unit, uint32_t) {
        return _mm512_mul_ps(header.d, load_u8(block + scales_at + unit * rows_per_group));
    }
    static LLM_SIMD __m512 minimum(const Header &header, const uint8_t *block, uint32_t unit, uint32_t) {
        return _mm512_mul_ps(header.minimum, load_u8(block + minimums_at + unit * rows_per_group));
    }
};

struct Q4_K : BlockWithMinimum<nibble_bytes> {
    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        unpack_nibbles(q, block + quants_at + unit * nibble_bytes);
    }
};

struct Q5_K : BlockWithMinimum<vector_bytes + nibble_bytes> {
    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        const uint8_t *p = block + quants_at + unit * (vector_bytes + nibble_bytes);
        unpack_nibbles(q, p + vector_bytes);
        merge_ones(q, p, 4);
    }
};

// d, rows of signed scales (one or two for each unit), then the units.
template <uint32_t scales_of_unit, size_t unit_bytes>
struct BlockWithScales {
    static constexpr uint32_t units = k_units, scales = scales_of_unit;
    static constexpr bool has_minimum = false;
    static constexpr size_t scales_at = half_bytes;
    static constexpr size_t quants_at = scales_at + scales * k_units * rows_per_group;
    static constexpr size_t block_bytes = quants_at + k_units * unit_bytes;
    using Header = ScaleHeader;

    static LLM_SIMD Header header(const uint8_t *block) { return {load_f16(block)}; }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *block, uint32_t unit, uint32_t i) {
        return _mm512_mul_ps(header.d, load_i8(block + scales_at + (unit * scales + i) * rows_per_group));
    }
};

struct IQ4_XS : BlockWithScales<1, nibble_bytes> {
    static constexpr int offset = 128;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        unpack_nibbles(q, block + quants_at + unit * nibble_bytes);
        look_up(q, iq4_table());
    }
};

struct Q3_K : BlockWithScales<2, 3 * vector_bytes> {
    static constexpr int offset = 4;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        const uint8_t *p = block + quants_at + unit * 3 * vector_bytes;
        unpack_twos(q, p);
        merge_ones(q, p + 2 * vector_bytes, 2);
    }
};

struct Q6_K : BlockWithScales<2, 2 * vector_bytes + nibble_bytes> {
    static constexpr int offset = 32;

    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        const uint8_t *p = block + quants_at + unit * (2 * vector_bytes + nibble_bytes);
        unpack_nibbles(q, p + 2 * vector_bytes);
        merge_twos(q, p, 4);
    }
};

struct Q2_K {
    static constexpr uint32_t units = k_units, scales = 2;
    static constexpr bool has_minimum = true;
    static constexpr int offset = 0;
    static constexpr size_t scales_at = 2 * half_bytes;
    static constexpr size_t quants_at = scales_at + scales * k_units * rows_per_group;
    static constexpr size_t block_bytes = quants_at + k_units * 2 * vector_bytes;
    using Header = MinimumHeader;

    static LLM_SIMD Header header(const uint8_t *block) {
        const __m512 sign = _mm512_set1_ps(-0.0f);
        return {load_f16(block), _mm512_xor_ps(load_f16(block + half_bytes), sign)};
    }
    static LLM_SIMD __m512i pair(const uint8_t *block, uint32_t unit, uint32_t i) {
        return _mm512_cvtepu8_epi32(load128(block + scales_at + (unit * scales + i) * rows_per_group));
    }
    static LLM_SIMD __m512 scale(const Header &header, const uint8_t *block, uint32_t unit, uint32_t i) {
        const __m512i low = _mm512_and_si512(pair(block, unit, i), _mm512_set1_epi32(15));
        return _mm512_mul_ps(header.d, _mm512_cvtepi32_ps(low));
    }
    static LLM_SIMD __m512 minimum(const Header &header, const uint8_t *block, uint32_t unit, uint32_t i) {
        const __m512i high = _mm512_srli_epi32(pair(block, unit, i), 4);
        return _mm512_mul_ps(header.minimum, _mm512_cvtepi32_ps(high));
    }
    static LLM_SIMD void quants(__m512i (&q)[8], const uint8_t *block, uint32_t unit) {
        unpack_twos(q, block + quants_at + unit * 2 * vector_bytes);
    }
};

}  // namespace llm::avx512
