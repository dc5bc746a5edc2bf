// The packed formats of quant/packing.h as the AVX-512 matrix kernels read them. A format is a struct with
//
//   units, block_bytes       units of 32 elements in a packed block, bytes of the block
//   scales                   scales of a unit: 1, or 2 for formats that scale each half unit on its own
//   has_minimum              whether a value has a second term, the minimum
//   offset                   what the unpacked numbers are too large by, so that all are unsigned bytes
//   header(block)            what is read once for each block
//   quants(block, u, g)      step g (0..7) of unit u: byte b of lane r is element 4g + b of row r, plus offset
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

// Step g of each of the fields that the packed formats are made of.
LLM_SIMD __m512i nibbles(const uint8_t *p, uint32_t g) {
    const __m512i pair = load512(p + g % 4 * vector_bytes);
    return _mm512_and_si512(g < 4 ? pair : _mm512_srli_epi16(pair, 4), _mm512_set1_epi8(15));
}
LLM_SIMD __m512i twos(const uint8_t *p, uint32_t g) {
    const __m512i plane = load512(p + g / 4 * vector_bytes);
    return _mm512_and_si512(g % 4 == 0 ? plane : _mm512_srli_epi16(plane, g % 4 * 2), _mm512_set1_epi8(3));
}

// q with the bits of `plane` in `mask` added, where bit `from` of each byte of the plane is bit `to` of the result.
LLM_SIMD __m512i merge_bits(__m512i q, __m512i plane, uint32_t from, uint32_t to, int mask) {
    if (from < to) plane = _mm512_slli_epi16(plane, to - from);
    if (from > to) plane = _mm512_srli_epi16(plane, from - to);
    return _mm512_ternarylogic_epi32(q, plane, _mm512_set1_epi8(static_cast<char>(mask)), 0xf8);  // q | (plane & mask)
}
// Adds a plane of single bits as bit `to`.
LLM_SIMD __m512i merge_ones(__m512i q, const uint8_t *p, uint32_t g, uint32_t to) {
    return merge_bits(q, load512(p), g, to, 1 << to);
}
// Adds a plane of bit pairs as bits `to` and `to` + 1.
LLM_SIMD __m512i merge_twos(__m512i q, const uint8_t *p, uint32_t g, uint32_t to) {
    return merge_bits(q, load512(p + g / 4 * vector_bytes), g % 4 * 2, to, 3 << to);
}

LLM_SIMD __m512i look_up(__m128i table, __m512i q) { return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), q); }

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

// ---- Formats with blocks of one unit ------------------------------------------------------------------------------

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

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) { return nibbles(block + quants_at, g); }
};

struct Q4_1 : UnitWithMinimum {
    static constexpr size_t block_bytes = quants_at + nibble_bytes;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) { return nibbles(block + quants_at, g); }
};

struct Q5_0 : UnitWithScale {
    static constexpr int offset = 16;
    static constexpr size_t block_bytes = quants_at + vector_bytes + nibble_bytes;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) {
        return merge_ones(nibbles(block + quants_at + vector_bytes, g), block + quants_at, g, 4);
    }
};

struct Q5_1 : UnitWithMinimum {
    static constexpr size_t block_bytes = quants_at + vector_bytes + nibble_bytes;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) {
        return merge_ones(nibbles(block + quants_at + vector_bytes, g), block + quants_at, g, 4);
    }
};

struct Q8_0 : UnitWithScale {
    static constexpr int offset = 128;
    static constexpr size_t block_bytes = quants_at + 8 * vector_bytes;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) {
        return load512(block + quants_at + g * vector_bytes);
    }
};

struct IQ4_NL : UnitWithScale {
    static constexpr int offset = 128;
    static constexpr size_t block_bytes = quants_at + nibble_bytes;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) {
        return look_up(iq4_table(), nibbles(block + quants_at, g));
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
    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t, uint32_t g) {
        return look_up(mxfp4_table(), nibbles(block + quants_at, g));
    }
};

// ---- Formats with blocks of eight units ---------------------------------------------------------------------------

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
    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        return nibbles(block + quants_at + unit * nibble_bytes, g);
    }
};

struct Q5_K : BlockWithMinimum<vector_bytes + nibble_bytes> {
    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        const uint8_t *p = block + quants_at + unit * (vector_bytes + nibble_bytes);
        return merge_ones(nibbles(p + vector_bytes, g), p, g, 4);
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

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        return look_up(iq4_table(), nibbles(block + quants_at + unit * nibble_bytes, g));
    }
};

struct Q3_K : BlockWithScales<2, 3 * vector_bytes> {
    static constexpr int offset = 4;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        const uint8_t *p = block + quants_at + unit * 3 * vector_bytes;
        return merge_ones(twos(p, g), p + 2 * vector_bytes, g, 2);
    }
};

struct Q6_K : BlockWithScales<2, 2 * vector_bytes + nibble_bytes> {
    static constexpr int offset = 32;

    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        const uint8_t *p = block + quants_at + unit * (2 * vector_bytes + nibble_bytes);
        return merge_twos(nibbles(p + 2 * vector_bytes, g), p, g, 4);
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
    static LLM_SIMD __m512i quants(const uint8_t *block, uint32_t unit, uint32_t g) {
        return twos(block + quants_at + unit * 2 * vector_bytes, g);
    }
};

}  // namespace llm::avx512
