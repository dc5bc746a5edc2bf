// How eight rows of each packed block (quant/packed_blocks.h) are read into vectors. A format has
//
//   is_signed            the quants are signed bytes; else they are unsigned and at most 127
//   offset               is subtracted from the quants
//   sums_in_words        how many products quant pair * activation pair fit into a 16-bit sum (1, 2, 4 or 8)
//   quants<g>(...)       elements 4g .. 4g+3 of unit u, a dword for each row
//   scale(...)           scale_weight of a part of unit u
//   minimum(...)         min_weight, where the block has one
//
// `row` is the first of the eight rows: 0 or 8.
#pragma once

#include "kernels/avx2/simd.h"
#include "quant/packed_blocks.h"

namespace llm::avx2 {

// ---- Fields ---------------------------------------------------------------------------------------------------------

template <int g>
inline __m256i quants_of(const packed::Nibbles &nibbles, uint32_t row) {
    const __m256i both = load_bytes(&nibbles.dword[g % 4][row]);
    return _mm256_and_si256(g < 4 ? both : _mm256_srli_epi16(both, 4), _mm256_set1_epi8(15));
}

template <int g>
inline __m256i quants_of(const packed::Bytes &bytes, uint32_t row) {
    return load_bytes(&bytes.dword[g][row]);
}

// Bits from .. from + count - 1 of every byte, moved to bit `to`.
template <int from, int to, int count>
inline __m256i move_bits(__m256i x) {
    const __m256i moved = from > to ? _mm256_srli_epi16(x, from - to) : _mm256_slli_epi16(x, to - from);
    return _mm256_and_si256(from == to ? x : moved, _mm256_set1_epi8(((1 << count) - 1) << to));
}

template <int g, int to>
inline __m256i bits_of(const packed::OnesPlane &plane, uint32_t row) {
    return move_bits<g, to, 1>(load_bytes(&plane.dword[row]));
}

template <int g, int to>
inline __m256i bits_of(const packed::TwosPlane &plane, uint32_t row) {
    return move_bits<2 * (g % 4), to, 2>(load_bytes(&plane.dword[g / 4][row]));
}

// The entries of a table of sixteen signed bytes.
inline __m256i look_up(__m128i table, __m256i indexes) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), indexes);
}
inline __m128i iq4_table() {
    return _mm_setr_epi8(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
}
// The values of MXFP4, doubled to be integers, plus 12.
inline __m128i mxfp4_table() { return _mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0); }

// ---- Formats --------------------------------------------------------------------------------------------------------

template <class Block>
struct Format;

template <>
struct Format<packed::Q4_0> {
    using Block = packed::Q4_0;
    static constexpr bool is_signed = false;
    static constexpr int offset = 8, sums_in_words = 8;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return quants_of<g>(block.nibbles, row);
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
};

template <>
struct Format<packed::Q4_1> {
    using Block = packed::Q4_1;
    static constexpr bool is_signed = false;
    static constexpr int offset = 0, sums_in_words = 8;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return quants_of<g>(block.nibbles, row);
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
    static __m256 minimum(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.m + row); }
};

template <>
struct Format<packed::Q5_0> {
    using Block = packed::Q5_0;
    static constexpr bool is_signed = false;
    static constexpr int offset = 16, sums_in_words = 4;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return _mm256_or_si256(quants_of<g>(block.nibbles, row), bits_of<g, 4>(block.high, row));
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
};

template <>
struct Format<packed::Q5_1> {
    using Block = packed::Q5_1;
    static constexpr bool is_signed = false;
    static constexpr int offset = 0, sums_in_words = 4;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return _mm256_or_si256(quants_of<g>(block.nibbles, row), bits_of<g, 4>(block.high, row));
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
    static __m256 minimum(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.m + row); }
};

template <>
struct Format<packed::Q8_0> {
    using Block = packed::Q8_0;
    static constexpr bool is_signed = true;
    static constexpr int offset = 0, sums_in_words = 1;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return _mm256_xor_si256(quants_of<g>(block.bytes, row), _mm256_set1_epi8(-128));
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
};

template <>
struct Format<packed::IQ4_NL> {
    using Block = packed::IQ4_NL;
    static constexpr bool is_signed = true;
    static constexpr int offset = 0, sums_in_words = 1;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return look_up(iq4_table(), quants_of<g>(block.nibbles, row));
    }
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) { return load_halves(block.d + row); }
};

template <>
struct Format<packed::MXFP4> {
    using Block = packed::MXFP4;
    static constexpr bool is_signed = false;
    static constexpr int offset = 12, sums_in_words = 4;
    template <int g>
    static __m256i quants(const Block &block, uint32_t, uint32_t row) {
        return look_up(mxfp4_table(), quants_of<g>(block.nibbles, row));
    }
    // 2^(e - 128), subnormal for e < 2.
    static __m256 scale(const Block &block, uint32_t, uint32_t, uint32_t row) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(block.exponent + row));
        const __m256i e = _mm256_cvtepu8_epi32(bytes);
        const __m256i normal = _mm256_slli_epi32(_mm256_sub_epi32(e, _mm256_set1_epi32(1)), 23);
        const __m256i subnormal = _mm256_sllv_epi32(_mm256_set1_epi32(0x00200000), e);
        const __m256i is_normal = _mm256_cmpgt_epi32(e, _mm256_set1_epi32(1));
        return _mm256_castsi256_ps(_mm256_blendv_epi8(subnormal, normal, is_normal));
    }
};

// d * scale and -(dmin * minimum) of the formats with a byte of each for every unit.
template <class Block>
struct ByteScales {
    static __m256 scale(const Block &block, uint32_t u, uint32_t, uint32_t row) {
        return _mm256_mul_ps(load_halves(block.d + row), load_unsigned_bytes(block.scale[u] + row));
    }
    static __m256 minimum(const Block &block, uint32_t u, uint32_t, uint32_t row) {
        const __m256 product =
            _mm256_mul_ps(load_halves(block.dmin + row), load_unsigned_bytes(block.minimum[u] + row));
        return _mm256_xor_ps(product, _mm256_set1_ps(-0.0f));
    }
};

template <>
struct Format<packed::Q4_K> : ByteScales<packed::Q4_K> {
    using Block = packed::Q4_K;
    static constexpr bool is_signed = false;
    static constexpr int offset = 0, sums_in_words = 8;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return quants_of<g>(block.unit[u].nibbles, row);
    }
};

template <>
struct Format<packed::Q5_K> : ByteScales<packed::Q5_K> {
    using Block = packed::Q5_K;
    static constexpr bool is_signed = false;
    static constexpr int offset = 0, sums_in_words = 4;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return _mm256_or_si256(quants_of<g>(block.unit[u].nibbles, row), bits_of<g, 4>(block.unit[u].high, row));
    }
};

template <>
struct Format<packed::IQ4_XS> {
    using Block = packed::IQ4_XS;
    static constexpr bool is_signed = true;
    static constexpr int offset = 0, sums_in_words = 1;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return look_up(iq4_table(), quants_of<g>(block.unit[u].nibbles, row));
    }
    static __m256 scale(const Block &block, uint32_t u, uint32_t, uint32_t row) {
        return _mm256_mul_ps(load_halves(block.d + row), load_signed_bytes(block.scale[u] + row));
    }
};

template <>
struct Format<packed::Q2_K> {
    using Block = packed::Q2_K;
    static constexpr bool is_signed = false;
    static constexpr int offset = 0, sums_in_words = 8;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return bits_of<g, 0>(block.unit[u].low, row);
    }
    static __m256i scale_minimum(const Block &block, uint32_t u, uint32_t part, uint32_t row) {
        const uint8_t *bytes = block.scale_minimum[2 * u + part] + row;
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(bytes)));
    }
    static __m256 scale(const Block &block, uint32_t u, uint32_t part, uint32_t row) {
        const __m256i scale = _mm256_and_si256(scale_minimum(block, u, part, row), _mm256_set1_epi32(15));
        return _mm256_mul_ps(load_halves(block.d + row), _mm256_cvtepi32_ps(scale));
    }
    static __m256 minimum(const Block &block, uint32_t u, uint32_t part, uint32_t row) {
        const __m256i minimum = _mm256_srli_epi32(scale_minimum(block, u, part, row), 4);
        const __m256 product = _mm256_mul_ps(load_halves(block.dmin + row), _mm256_cvtepi32_ps(minimum));
        return _mm256_xor_ps(product, _mm256_set1_ps(-0.0f));
    }
};

// d * scale of the formats with a signed byte for every half unit.
template <class Block>
struct HalfUnitScales {
    static __m256 scale(const Block &block, uint32_t u, uint32_t part, uint32_t row) {
        return _mm256_mul_ps(load_halves(block.d + row), load_signed_bytes(block.scale[2 * u + part] + row));
    }
};

template <>
struct Format<packed::Q3_K> : HalfUnitScales<packed::Q3_K> {
    using Block = packed::Q3_K;
    static constexpr bool is_signed = false;
    static constexpr int offset = 4, sums_in_words = 8;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return _mm256_or_si256(bits_of<g, 0>(block.unit[u].low, row), bits_of<g, 2>(block.unit[u].high, row));
    }
};

template <>
struct Format<packed::Q6_K> : HalfUnitScales<packed::Q6_K> {
    using Block = packed::Q6_K;
    static constexpr bool is_signed = false;
    static constexpr int offset = 32, sums_in_words = 2;
    template <int g>
    static __m256i quants(const Block &block, uint32_t u, uint32_t row) {
        return _mm256_or_si256(quants_of<g>(block.unit[u].nibbles, row), bits_of<g, 4>(block.unit[u].high, row));
    }
};

}  // namespace llm::avx2
