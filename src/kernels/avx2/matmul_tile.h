// The inner part of the quantized matrix product: sixteen rows times a few tokens, over all columns. The weights come
// from packed blocks directly, or from a panel in which they have been unpacked before.
#pragma once

#include "kernels/avx2/packed_formats.h"
#include "kernels/kernel_table.h"
#include "quant/packing.h"

namespace llm::avx2 {

inline constexpr uint32_t tile_tokens = 4;  // the most tokens of one tile

// What the product has to know of a format; see packed_formats.h. Formats that agree in it share their code.
template <bool is_signed_, int offset_, int sums_in_words_, int parts_, bool has_minimum_>
struct Arithmetic {
    static constexpr bool is_signed = is_signed_, has_minimum = has_minimum_;
    static constexpr int offset = offset_, sums_in_words = sums_in_words_, parts = parts_;
};

template <class Block>
using ArithmeticOf = Arithmetic<Format<Block>::is_signed, Format<Block>::offset, Format<Block>::sums_in_words,
                                Block::parts, Block::has_minimum>;

// ---- Weights ------------------------------------------------------------------------------------------------------

// One unit of sixteen rows in a packed block.
template <class Block>
struct PackedUnit {
    const Block &block;
    uint32_t u;

    template <int g>
    __m256i quants(uint32_t row) const {
        return Format<Block>::template quants<g>(block, u, row);
    }
    __m256 scale(uint32_t part, uint32_t row) const { return Format<Block>::scale(block, u, part, row); }
    __m256 minimum(uint32_t part, uint32_t row) const { return Format<Block>::minimum(block, u, part, row); }
};

// The same, unpacked.
template <class A>
struct PanelUnit {
    uint8_t dwords[8][rows_per_group][4];
    float scales[A::parts][rows_per_group];
    float minimums[A::has_minimum ? A::parts : 1][rows_per_group];

    template <int g>
    __m256i quants(uint32_t row) const {
        return load_bytes(dwords[g][row]);
    }
    __m256 scale(uint32_t part, uint32_t row) const { return _mm256_loadu_ps(&scales[part][row]); }
    __m256 minimum(uint32_t part, uint32_t row) const { return _mm256_loadu_ps(&minimums[part][row]); }
};

// Sixteen rows, over all columns, in either form.
template <class Block>
struct PackedGroup {
    using A = ArithmeticOf<Block>;
    static constexpr uint32_t units_per_block = Block::units;
    static constexpr uint32_t fewest_tokens = 1;  // of a tile

    const Block *blocks;
    PackedUnit<Block> unit(uint32_t block, uint32_t u) const { return {blocks[block], u}; }
};

template <class Arithmetic>
struct Panel {
    using A = Arithmetic;
    static constexpr uint32_t units_per_block = 1;
    static constexpr uint32_t fewest_tokens = 3;

    const PanelUnit<A> *units;
    const PanelUnit<A> &unit(uint32_t block, uint32_t) const { return units[block]; }
};

// ---- Activations --------------------------------------------------------------------------------------------------

// The tokens of a tile: rows of quantized activations that follow each other.
struct TokenTile {
    const int8_t *q;
    const float *scale;
    const int32_t *sum;
    size_t columns;

    const int8_t *quants_of(int token, uint32_t unit) const { return q + token * columns + unit * unit_length; }
    float scale_of(int token, uint32_t unit) const { return scale[token * (columns / unit_length) + unit]; }
    template <class A>
    int32_t sum_of(int token, uint32_t unit, uint32_t part) const {
        const int32_t *sums = sum + token * (columns / 16) + 2 * unit;
        return A::parts == 2 ? sums[part] : sums[0] + sums[1];
    }
};

// ---- Product ------------------------------------------------------------------------------------------------------

// sum[t][r] = the products of dwords g .. end-1 of one unit, added in 16-bit lanes; r = 0, 1: rows 0..7, 8..15.
template <class A, int first, int end, int g, int tokens, class Unit>
[[gnu::always_inline]] inline void multiply_dwords(__m256i (&sum)[tokens][2], const Unit &unit, const TokenTile &x,
                                                   uint32_t index) {
    const __m256i weights[2] = {unit.template quants<g>(0), unit.template quants<g>(8)};
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) {
        const __m256i activations = broadcast_dword(x.quants_of(t, index) + 4 * g);
#pragma GCC unroll 8
        for (int r = 0; r < 2; ++r) {
            __m256i product;
            if constexpr (A::is_signed)
                product = _mm256_maddubs_epi16(_mm256_abs_epi8(weights[r]), _mm256_sign_epi8(activations, weights[r]));
            else
                product = _mm256_maddubs_epi16(weights[r], activations);
            sum[t][r] = computed_here(g == first ? product : _mm256_add_epi16(sum[t][r], product));
        }
    }
    if constexpr (g + 1 < end) multiply_dwords<A, first, end, g + 1>(sum, unit, x, index);
}

// isum[t][r] += the products of dwords g .. end-1 of one unit.
template <class A, int g, int end, int tokens, class Unit>
[[gnu::always_inline]] inline void add_products(__m256i (&isum)[tokens][2], const Unit &unit, const TokenTile &x,
                                                uint32_t index) {
    constexpr int limit = A::sums_in_words;
    constexpr int next = end - g < limit ? end : g + limit;
    __m256i words[tokens][2];
    multiply_dwords<A, g, next, g>(words, unit, x, index);
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t)
#pragma GCC unroll 8
        for (int r = 0; r < 2; ++r)
            isum[t][r] =
                computed_here(_mm256_add_epi32(isum[t][r], _mm256_madd_epi16(words[t][r], _mm256_set1_epi16(1))));
    if constexpr (next < end) add_products<A, next, end>(isum, unit, x, index);
}

// One part of a unit: see MatmulKernel for the arithmetic.
template <class A, int part, int tokens, class Unit>
[[gnu::always_inline]] inline void add_part(__m256 (&acc)[tokens][2], const Unit &unit, const TokenTile &x,
                                            uint32_t index) {
    constexpr int dwords = 8 / A::parts;
    __m256i isum[tokens][2];
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) {
        __m256i seed = _mm256_setzero_si256();
        if constexpr (A::offset != 0) seed = _mm256_set1_epi32(-A::offset * x.sum_of<A>(t, index, part));
        isum[t][0] = isum[t][1] = seed;
    }
    add_products<A, part * dwords, (part + 1) * dwords>(isum, unit, x, index);
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) {
        const __m256 scale = _mm256_set1_ps(x.scale_of(t, index));
#pragma GCC unroll 8
        for (int r = 0; r < 2; ++r) {
            const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(isum[t][r]), scale);
            acc[t][r] = _mm256_fmadd_ps(scaled, unit.scale(part, 8 * r), acc[t][r]);
        }
        if constexpr (A::has_minimum) {
            const __m256i sum = _mm256_set1_epi32(x.sum_of<A>(t, index, part));
            const __m256 scaled_sum = _mm256_mul_ps(scale, _mm256_cvtepi32_ps(sum));
#pragma GCC unroll 8
            for (int r = 0; r < 2; ++r) acc[t][r] = _mm256_fmadd_ps(unit.minimum(part, 8 * r), scaled_sum, acc[t][r]);
        }
    }
}

// out[t][0..15] = the products of one group of rows, given as a PackedGroup or a Panel, and the tokens of a tile.
template <int tokens, class Weights>
[[gnu::noinline]] void multiply_tile(float *out, size_t out_stride, const Weights &weights, const TokenTile &x) {
    using A = typename Weights::A;
    constexpr uint32_t units_per_block = Weights::units_per_block;
    __m256 acc[tokens][2];
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t) acc[t][0] = acc[t][1] = _mm256_setzero_ps();
    for (uint32_t block = 0; block < x.columns / (units_per_block * unit_length); ++block) {
        for (uint32_t u = 0; u < units_per_block; ++u) {
            const auto &unit = weights.unit(block, u);
            const uint32_t index = block * units_per_block + u;
            add_part<A, 0>(acc, unit, x, index);
            if constexpr (A::parts == 2) add_part<A, 1>(acc, unit, x, index);
        }
    }
#pragma GCC unroll 8
    for (int t = 0; t < tokens; ++t)
#pragma GCC unroll 8
        for (int r = 0; r < 2; ++r) _mm256_storeu_ps(out + t * out_stride + 8 * r, acc[t][r]);
}

}  // namespace llm::avx2
