// Quantized weights times a few tokens: the weights are unpacked in registers and used for all tokens at once.
#pragma once

#include "kernels/avx512/matmul_terms.h"
#include "kernels/avx512/sums.h"
#include "kernels/avx512/unpack.h"

namespace llm::avx512 {

// One unit of one group: `unit` is its index in the block, `column_unit` that in the slab.
template <class Format, uint32_t tokens>
LLM_SIMD void add_unit(__m512 (&sums)[tokens], const typename Format::Header &header, const uint8_t *block,
                       uint32_t unit, uint32_t column_unit, const int8_t *const (&q)[tokens], const TokenTerms &terms) {
    constexpr uint32_t steps = 8 / Format::scales;
    __m512i weights[8];
    Format::quants(weights, block, unit);
    LLM_UNROLL
    for (uint32_t i = 0; i < Format::scales; ++i) {
        const uint32_t term = (column_unit * Format::scales + i) * 4;
        __m512i dots[tokens];
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t)
            dots[t] = Format::has_minimum ? _mm512_setzero_si512() : broadcast_int(terms.term[t] + term);
        LLM_UNROLL
        for (uint32_t g = i * steps; g < (i + 1) * steps; ++g) LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t)
            dots[t] = _mm512_dpbusd_epi32(dots[t], weights[g], broadcast_int(q[t] + column_unit * unit_length + 4 * g));
        const __m512 scale = Format::scale(header, block, unit, i);
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) {
            const __m512 product =
                _mm512_mul_ps(_mm512_cvtepi32_ps(dots[t]), broadcast_float(terms.scale[t] + column_unit));
            sums[t] = _mm512_fmadd_ps(product, scale, sums[t]);
        }
        if constexpr (Format::has_minimum) {
            const __m512 minimum = Format::minimum(header, block, unit, i);
            LLM_UNROLL
            for (uint32_t t = 0; t < tokens; ++t)
                sums[t] = _mm512_fmadd_ps(minimum, broadcast_float(terms.term[t] + term), sums[t]);
        }
    }
}

template <class Format, uint32_t groups, uint32_t tokens>
void multiply_direct(const uint8_t *weights, size_t group_bytes, const TokenTile &tile) {
    Sums<groups, tokens> sums;
    sums.load(tile.out, tile.out_stride, tile.resume);
    const int8_t *q[tokens];
    LLM_UNROLL
    for (uint32_t t = 0; t < tokens; ++t) q[t] = tile.q + t * tile.q_stride;
    const TokenTerms &terms = *tile.terms;
    for (uint32_t column_unit = 0; column_unit < tile.unit_count;) {
        typename Format::Header headers[groups];
        LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g) headers[g] = Format::header(weights + g * group_bytes);
        for (uint32_t unit = 0; unit < Format::units; ++unit, ++column_unit) LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g)
            add_unit<Format, tokens>(sums.value[g], headers[g], weights + g * group_bytes, unit, column_unit, q, terms);
        weights += Format::block_bytes;
    }
    sums.store(tile.out, tile.out_stride);
}

}  // namespace llm::avx512
