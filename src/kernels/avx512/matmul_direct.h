// Quantized weights times a few tokens: the weights are unpacked in registers and used for all tokens at once.
#pragma once

#include "kernels/avx512/matmul_terms.h"
#include "kernels/avx512/sums.h"
#include "kernels/avx512/unpack.h"

namespace llm::avx512 {

// One unit of one group: `unit` is its index in the block.
template <class Format, uint32_t tokens>
LLM_SIMD void add_unit(__m512 (&sums)[tokens], const typename Format::Header &header, const uint8_t *block,
                       uint32_t unit, const TileCursor<tokens> &x) {
    constexpr uint32_t steps = 8 / Format::scales;
    __m512i weights[8];
    Format::quants(weights, block, unit);
    LLM_UNROLL
    for (uint32_t i = 0; i < Format::scales; ++i) {
        __m512i dots[tokens];
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) dots[t] = Format::has_minimum ? _mm512_setzero_si512() : x.seed(t, i);
        LLM_UNROLL
        for (uint32_t g = i * steps; g < (i + 1) * steps; ++g) {
            LLM_UNROLL
            for (uint32_t t = 0; t < tokens; ++t)
                dots[t] = _mm512_dpbusd_epi32(dots[t], weights[g], x.activations(t, g));
        }
        add_scaled<tokens>(sums, dots, x, Format::scale(header, block, unit, i));
        if constexpr (Format::has_minimum) add_minimum<tokens>(sums, x, i, Format::minimum(header, block, unit, i));
    }
}

// The kernel takes one group at a time, so that the weights are read in one sequential stream. With few tokens it then
// runs at the bandwidth of a plain read loop, which neither two streams nor prefetch instructions reach; with more
// tokens the hardware alone does not fetch far enough ahead.
constexpr uint32_t prefetch_from_tokens = 5;
constexpr size_t prefetch_distance = 2048;

template <class Format, uint32_t tokens>
void multiply_direct(const uint8_t *weights, const TokenTile &tile) {
    constexpr size_t unit_bytes = Format::block_bytes / Format::units;
    Sums<1, tokens> sums;
    sums.load(tile.out, tile.out_stride, tile.resume);
    TileCursor<tokens> x(tile);
    for (uint32_t done = 0; done < tile.unit_count; done += Format::units, weights += Format::block_bytes) {
        const typename Format::Header header = Format::header(weights);
        for (uint32_t unit = 0; unit < Format::units; ++unit) {
            if (tokens >= prefetch_from_tokens)
                prefetch_lines<unit_bytes>(weights + unit * unit_bytes + prefetch_distance);
            add_unit<Format, tokens>(sums.value[0], header, weights, unit, x);
            x.advance(Format::scales);
        }
    }
    sums.store(tile.out, tile.out_stride);
}

}  // namespace llm::avx512
