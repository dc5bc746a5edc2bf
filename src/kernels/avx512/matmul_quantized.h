// The matrix kernel of a quantized format. One group of sixteen rows at a time is unpacked in registers, unit by unit,
// and each step of four columns is used at once for all tokens of a tile. Large batches are tiles of twelve tokens: the
// unpacking then takes less than a tenth of the time, so that storing unpacked weights would gain nothing.
#pragma once

#include "kernels/avx512/matmul_kernels.h"
#include "kernels/avx512/matmul_terms.h"
#include "kernels/avx512/sums.h"
#include "kernels/avx512/unpack.h"

namespace llm::avx512 {

// The most tokens of a tile: two sums each, and formats with two scales in a unit need some registers more.
template <class Format>
constexpr uint32_t most_tokens = Format::scales == 1 ? 12 : 10;

// Rows of activations that lie a multiple of this far apart compete for the eight ways of one set of the first-level
// cache.
constexpr uint32_t cache_set_stride = 4096;
constexpr uint32_t cache_ways = 8;

// The weights are one sequential stream. The hardware alone fetches it at the bandwidth of a plain read loop as long as
// a unit takes little time, as it does for one token; beyond that, this helps it to get far enough ahead. The level and
// distance are measured: several tokens gain up to half as much again from the second-level cache.
template <class Format, uint32_t tokens>
LLM_SIMD void fetch_ahead(const uint8_t *unit) {
    constexpr size_t unit_bytes = Format::block_bytes / Format::units;
    constexpr uint32_t enough_tokens = Format::units > 1 ? 2 : unit_bytes < 512 ? 3 : 5;
    if (tokens >= enough_tokens) prefetch_ahead<unit_bytes, 2>(unit, 8192);
}

// Adds the products of `steps` steps of a unit, from step `first` on, to the dots. Several tokens need all registers,
// so a vector is read again for each step that it holds numbers of. One token leaves registers for it, and loads are
// what it has most of; its sum is two chains, because there are no sums of other tokens to work on meanwhile.
template <class Format, uint32_t steps, uint32_t tokens>
LLM_SIMD void add_products(__m512i (&dots)[tokens], const uint8_t *block, uint32_t unit, uint32_t first,
                           const TileCursor<tokens> &x) {
    constexpr bool two_chains = tokens == 1 && steps == 8;
    __m512i odd = _mm512_setzero_si512();
    LLM_UNROLL
    for (uint32_t g = first; g < first + steps; ++g) {
        if (tokens > 1) block = reread(block);
        const __m512i weights = Format::quants(block, unit, g);
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) {
            __m512i &sum = two_chains && g % 2 == 1 ? odd : dots[t];
            sum = _mm512_dpbusd_epi32(sum, weights, x.activations(t, g));
        }
    }
    if (two_chains) dots[0] = _mm512_add_epi32(dots[0], odd);
}

// Adds unit `unit` of the block.
template <class Format, uint32_t tokens>
LLM_SIMD void add_unit(__m512 (&sums)[tokens], const typename Format::Header &header, const uint8_t *block,
                       uint32_t unit, const TileCursor<tokens> &x) {
    constexpr uint32_t steps = 8 / Format::scales;
    LLM_UNROLL
    for (uint32_t i = 0; i < Format::scales; ++i) {
        __m512i dots[tokens];
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) dots[t] = Format::has_minimum ? _mm512_setzero_si512() : x.seed(t, i);
        add_products<Format, steps>(dots, block, unit, i * steps, x);
        const __m512 scale = Format::scale(header, block, unit, i);
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t)
            sums[t] = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(dots[t]), x.unit_scale(t)), scale, sums[t]);
        if constexpr (Format::has_minimum) {
            const __m512 minimum = Format::minimum(header, block, unit, i);
            LLM_UNROLL
            for (uint32_t t = 0; t < tokens; ++t) sums[t] = _mm512_fmadd_ps(minimum, x.scaled_sum(t, i), sums[t]);
        }
    }
}

template <class Format, uint32_t tokens>
void multiply_group(const uint8_t *weights, const TokenTile &tile) {
    constexpr size_t unit_bytes = Format::block_bytes / Format::units;
    Sums<1, tokens> sums;
    sums.load(tile.out);
    TileCursor<tokens> x(tile);
    for (uint32_t done = 0; done < tile.unit_count; done += Format::units, weights += Format::block_bytes) {
        const typename Format::Header header = Format::header(weights);
        for (uint32_t unit = 0; unit < Format::units; ++unit) {
            fetch_ahead<Format, tokens>(weights + unit * unit_bytes);
            add_unit<Format, tokens>(sums.value[0], header, weights, unit, x);
            x.advance(Format::scales);
        }
    }
    sums.store(tile.out);
}

using GroupKernel = void (*)(const uint8_t *weights, const TokenTile &tile);

// The kernel for `tokens` tokens, at most most_tokens.
template <class Format>
GroupKernel group_kernel(uint32_t tokens) {
    constexpr uint32_t most = most_tokens<Format>;  // where it is 10, the last two are never called
    static constexpr GroupKernel kernels[12] = {
        multiply_group<Format, 1>,  multiply_group<Format, 2>,        multiply_group<Format, 3>,
        multiply_group<Format, 4>,  multiply_group<Format, 5>,        multiply_group<Format, 6>,
        multiply_group<Format, 7>,  multiply_group<Format, 8>,        multiply_group<Format, 9>,
        multiply_group<Format, 10>, multiply_group<Format, most - 1>, multiply_group<Format, most>};
    return kernels[tokens - 1];
}

// Tile by tile, because all groups need the same terms; the weights of a call come from the cache after the first tile.
template <class Format>
void multiply_slab(const MatmulArgs &args, const uint8_t *weights, size_t group_bytes, Slab slab) {
    TokenTerms &terms = *reinterpret_cast<TokenTerms *>(args.scratch);
    const uint32_t limit = args.columns % cache_set_stride == 0 ? cache_ways : most_tokens<Format>;
    const bool is_last = slab.first_unit + slab.unit_count == args.columns / unit_length;
    for (uint32_t token = 0; token < args.token_count;) {
        const uint32_t tokens = next_part(args.token_count - token, limit);
        fill_terms<Format>(terms, args, slab, token, tokens);
        const GroupKernel kernel = group_kernel<Format>(tokens);
        TokenTile tile = {args.x.q + token * size_t{args.columns} + slab.first_unit * unit_length, args.columns, &terms,
                          slab.unit_count, TileOutput(args, 0, token, slab.first_unit == 0, is_last)};
        for (uint32_t group = 0; group < args.group_count; ++group, tile.out.to_next_group())
            kernel(weights + group * group_bytes, tile);
        token += tokens;
    }
}

template <class Format>
void multiply(const MatmulArgs &args) {
    const uint32_t unit_count = args.columns / unit_length;
    const size_t group_bytes = unit_count / Format::units * Format::block_bytes;
    const uint32_t part = (next_part(unit_count, slab_units) + k_units - 1) / k_units * k_units;
    for (uint32_t first = 0; first < unit_count; first += part) {
        const Slab slab = {first, first + part < unit_count ? part : unit_count - first};
        multiply_slab<Format>(args, args.weights + first / Format::units * Format::block_bytes, group_bytes, slab);
    }
}

}  // namespace llm::avx512
