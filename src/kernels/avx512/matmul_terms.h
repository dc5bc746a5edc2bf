// The activations as the quantized matrix kernels take them: a tile of a few tokens and one slab of columns, with the
// numbers that the kernels broadcast.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/avx512/sums.h"
#include "kernels/kernel_table.h"
#include "quant/packing.h"

namespace llm::avx512 {

// At most this many units of 32 columns are computed with at a time; between slabs the sums rest in the output. So
// scratch memory is bounded, and a few groups of weights stay in the second-level cache.
constexpr uint32_t slab_units = 256;
constexpr uint32_t tile_tokens = 12;

// The 16 numbers added keep rows of different tokens out of the same set of the first-level cache.
constexpr uint32_t scale_stride = slab_units + 16;
constexpr uint32_t term_stride = 2 * slab_units + 16;

// For each token of a tile: the scale of each unit of the slab, and for each scale of the weights a term, which is what
// the sum of the activations contributes: an integer that a dot product starts from, -offset * sum, or for formats with
// a minimum a float, scale * sum.
struct TokenTerms {
    float scale[tile_tokens * scale_stride];
    uint32_t term[tile_tokens * term_stride];
};

struct Slab {
    uint32_t first_unit;
    uint32_t unit_count;
};

// A few tokens and one slab: what a kernel computes with beside the weights.
struct TokenTile {
    const int8_t *q;  // first token, first column of the slab
    size_t q_stride;
    const TokenTerms *terms;
    uint32_t unit_count;
    TileOutput out;
};

// Where a kernel stands in a tile. The addresses of all tokens are the same few registers plus constants.
template <uint32_t tokens>
struct TileCursor {
    const int8_t *q[tokens];
    size_t column = 0;
    const float *scale;
    const uint32_t *term;

    explicit LLM_SIMD TileCursor(const TokenTile &tile) : scale(tile.terms->scale), term(tile.terms->term) {
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) q[t] = tile.q + t * tile.q_stride;
    }
    LLM_SIMD __m512i activations(uint32_t t, uint32_t g) const { return broadcast_int(q[t] + column + 4 * g); }
    LLM_SIMD __m512 unit_scale(uint32_t t) const { return broadcast_float(scale + t * scale_stride); }
    LLM_SIMD __m512i seed(uint32_t t, uint32_t i) const { return broadcast_int(term + t * term_stride + i); }
    LLM_SIMD __m512 scaled_sum(uint32_t t, uint32_t i) const { return broadcast_float(term + t * term_stride + i); }

    // To the next unit, of weights with `scales` scales for each.
    LLM_SIMD void advance(uint32_t scales) {
        column += unit_length;
        scale += 1;
        term += scales;
    }
};

// sums[i] + sums[i + 1] of the even i, for the first `count` pairs.
LLM_SIMD __m512i pair_sums(const int32_t *sums, uint32_t count) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512i low = _mm512_maskz_loadu_epi32(first_lanes(2 * count), sums);
    const __m512i high = _mm512_maskz_loadu_epi32(count > 8 ? first_lanes(2 * count - 16) : 0, sums + 16);
    return _mm512_add_epi32(_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high));
}

// The terms of `units` units of one token, as many as have their terms in one vector. What it writes behind them is of
// no use.
template <class Format>
LLM_SIMD void fill_vector(float *out_scale, uint32_t *out_term, const float *scale, const int32_t *sums,
                          uint32_t units) {
    __m512 unit_scale = _mm512_maskz_loadu_ps(first_lanes(units), scale);
    _mm512_storeu_ps(out_scale, unit_scale);
    const __m512i sum =
        Format::scales == 1 ? pair_sums(sums, units) : _mm512_maskz_loadu_epi32(first_lanes(2 * units), sums);
    __m512i term;
    if (Format::has_minimum) {
        const __m512i twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
        if (Format::scales == 2) unit_scale = _mm512_permutexvar_ps(twice, unit_scale);
        term = _mm512_castps_si512(_mm512_mul_ps(unit_scale, _mm512_cvtepi32_ps(sum)));
    } else {
        term = _mm512_mullo_epi32(sum, _mm512_set1_epi32(-Format::offset));
    }
    _mm512_storeu_si512(out_term, term);
}

// The terms of one token. The last vector may repeat units of the one before.
template <class Format>
LLM_SIMD void fill_token_terms(float *out_scale, uint32_t *out_term, const float *scale, const int32_t *sums,
                               uint32_t unit_count) {
    constexpr uint32_t step = 16 / Format::scales;
    if (unit_count < step) return fill_vector<Format>(out_scale, out_term, scale, sums, unit_count);
    for (uint32_t done = 0; done < unit_count; done += step) {
        const uint32_t u = done + step <= unit_count ? done : unit_count - step;
        fill_vector<Format>(out_scale + u, out_term + u * Format::scales, scale + u, sums + 2 * u, step);
    }
}

// Fills the terms of `count` tokens, the first of which is `token`.
template <class Format>
void fill_terms(TokenTerms &terms, const MatmulArgs &args, Slab slab, uint32_t token, uint32_t count) {
    const size_t row_units = args.columns / unit_length;
    for (uint32_t t = 0; t < count; ++t) {
        const size_t unit = (token + t) * row_units + slab.first_unit;
        fill_token_terms<Format>(terms.scale + t * scale_stride, terms.term + t * term_stride, args.x.scale + unit,
                                 args.x.sum + 2 * unit, slab.unit_count);
    }
}

}  // namespace llm::avx512
