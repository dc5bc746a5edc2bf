// The inner part of the quantized matrix product: sixteen rows times a few tokens, over all columns. The weights come
// from packed blocks directly, or from a panel in which they have been unpacked before.
#pragma once

#include "kernels/avx2/packed_formats.h"
#include "kernels/kernel_table.h"

namespace llm::avx2 {

inline constexpr uint32_t unit_length = 32;  // elements of a unit (quant/packing.h)
inline constexpr uint32_t group_rows = 16;
inline constexpr uint32_t tile_tokens = 4;  // the most tokens of one tile

// ---- Weights
// ----------------------------------------------------------------------------------------------------------

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
template <class Block>
struct PanelUnit {
    uint8_t dwords[8][group_rows][4];
    float scales[Block::parts][group_rows];
    float minimums[Block::has_minimum ? Block::parts : 1][group_rows];

    template <int g>
    __m256i quants(uint32_t row) const {
        return load_bytes(dwords[g][row]);
    }
    __m256 scale(uint32_t part, uint32_t row) const { return _mm256_loadu_ps(&scales[part][row]); }
    __m256 minimum(uint32_t part, uint32_t row) const { return _mm256_loadu_ps(&minimums[part][row]); }
};

template <class Block>
struct PackedGroup {
    const Block *blocks;
    PackedUnit<Block> unit(uint32_t index) const { return {blocks[index / Block::units], index % Block::units}; }
};

template <class Block>
struct Panel {
    const PanelUnit<Block> *units;
    const PanelUnit<Block> &unit(uint32_t index) const { return units[index]; }
};

// ---- Activations
// ------------------------------------------------------------------------------------------------------

// The tokens of a tile. What depends on the sum of a token's quants alone is worked out once for all rows:
// `correction` has for each part of each unit the integer -offset * sum or, for formats with a minimum, the float
// scale * sum.
struct TokenTile {
    const int8_t *q;
    const float *scale;
    uint8_t *correction;
    uint32_t columns;

    const int8_t *quants_of(uint32_t token, uint32_t unit) const {
        return q + size_t{token} * columns + unit * unit_length;
    }
    float scale_of(uint32_t token, uint32_t unit) const {
        return scale[size_t{token} * (columns / unit_length) + unit];
    }
    template <class T>
    T *corrections_of(uint32_t token) const {
        return reinterpret_cast<T *>(correction) + size_t{token} * (columns / 16);
    }
};

// ---- Product
// ----------------------------------------------------------------------------------------------------------

// sum[t][r] = the products of dwords g .. end-1 of one unit, added in 16-bit lanes; r = 0, 1: rows 0..7, 8..15.
template <class Block, int first, int end, int g, int tokens, class Unit>
inline void multiply_dwords(__m256i (&sum)[tokens][2], const Unit &unit, const TokenTile &x, uint32_t index) {
    const __m256i weights[2] = {unit.template quants<g>(0), unit.template quants<g>(8)};
    for (int t = 0; t < tokens; ++t) {
        const __m256i activations = broadcast_dword(x.quants_of(t, index) + 4 * g);
        for (int r = 0; r < 2; ++r) {
            __m256i product;
            if constexpr (Format<Block>::is_signed)
                product = _mm256_maddubs_epi16(_mm256_abs_epi8(weights[r]), _mm256_sign_epi8(activations, weights[r]));
            else
                product = _mm256_maddubs_epi16(weights[r], activations);
            sum[t][r] = g == first ? product : _mm256_add_epi16(sum[t][r], product);
        }
    }
    if constexpr (g + 1 < end) multiply_dwords<Block, first, end, g + 1>(sum, unit, x, index);
}

// isum[t][r] += the products of dwords g .. end-1 of one unit.
template <class Block, int g, int end, int tokens, class Unit>
inline void add_products(__m256i (&isum)[tokens][2], const Unit &unit, const TokenTile &x, uint32_t index) {
    constexpr int limit = Format<Block>::sums_in_words;
    constexpr int next = end - g < limit ? end : g + limit;
    __m256i words[tokens][2];
    multiply_dwords<Block, g, next, g>(words, unit, x, index);
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < 2; ++r)
            isum[t][r] = _mm256_add_epi32(isum[t][r], _mm256_madd_epi16(words[t][r], _mm256_set1_epi16(1)));
    if constexpr (next < end) add_products<Block, next, end>(isum, unit, x, index);
}

// One part of a unit: see MatmulKernel for the arithmetic.
template <class Block, int part, int tokens, class Unit>
inline void add_part(__m256 (&acc)[tokens][2], const Unit &unit, const TokenTile &x, uint32_t index) {
    constexpr int dwords = 8 / Block::parts;
    __m256i isum[tokens][2];
    for (int t = 0; t < tokens; ++t) {
        __m256i seed = _mm256_setzero_si256();
        if constexpr (Format<Block>::offset != 0)
            seed = _mm256_set1_epi32(x.corrections_of<int32_t>(t)[index * Block::parts + part]);
        isum[t][0] = isum[t][1] = seed;
    }
    add_products<Block, part * dwords, (part + 1) * dwords>(isum, unit, x, index);
    for (int t = 0; t < tokens; ++t) {
        const __m256 scale = _mm256_set1_ps(x.scale_of(t, index));
        for (int r = 0; r < 2; ++r) {
            const __m256 scaled = _mm256_mul_ps(_mm256_cvtepi32_ps(isum[t][r]), scale);
            acc[t][r] = _mm256_fmadd_ps(scaled, unit.scale(part, 8 * r), acc[t][r]);
        }
        if constexpr (Block::has_minimum) {
            const __m256 sum = _mm256_set1_ps(x.corrections_of<float>(t)[index * Block::parts + part]);
            for (int r = 0; r < 2; ++r) acc[t][r] = _mm256_fmadd_ps(unit.minimum(part, 8 * r), sum, acc[t][r]);
        }
    }
}

// out[t][0..15] = the products of one group of rows, given as a PackedGroup or a Panel, and the tokens of a tile.
template <class Block, int tokens, class Weights>
void multiply_tile(float *out, size_t out_stride, const Weights &weights, const TokenTile &x) {
    __m256 acc[tokens][2];
    for (int t = 0; t < tokens; ++t) acc[t][0] = acc[t][1] = _mm256_setzero_ps();
    for (uint32_t index = 0; index < x.columns / unit_length; ++index) {
        const auto &unit = weights.unit(index);
        add_part<Block, 0>(acc, unit, x, index);
        if constexpr (Block::parts == 2) add_part<Block, 1>(acc, unit, x, index);
    }
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < 2; ++r) _mm256_storeu_ps(out + t * out_stride + 8 * r, acc[t][r]);
}

}  // namespace llm::avx2
