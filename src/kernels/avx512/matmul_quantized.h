// The matrix kernel of a quantized format: chooses between unpacking in registers and unpacking to a panel.
#pragma once

#include "kernels/avx512/matmul_direct.h"
#include "kernels/avx512/matmul_kernels.h"
#include "kernels/avx512/matmul_panel.h"

namespace llm::avx512 {

// From this many tokens on a panel is worth its memory traffic.
constexpr uint32_t panel_from_tokens = 17;

template <class Format, uint32_t groups>
void multiply_direct_tokens(const uint8_t *weights, size_t group_bytes, const TokenTile &tile, uint32_t tokens) {
    switch (tokens) {
        case 1:
            return multiply_direct<Format, groups, 1>(weights, group_bytes, tile);
        case 2:
            return multiply_direct<Format, groups, 2>(weights, group_bytes, tile);
        case 3:
            return multiply_direct<Format, groups, 3>(weights, group_bytes, tile);
        case 4:
            return multiply_direct<Format, groups, 4>(weights, group_bytes, tile);
        case 5:
            return multiply_direct<Format, groups, 5>(weights, group_bytes, tile);
        case 6:
            return multiply_direct<Format, groups, 6>(weights, group_bytes, tile);
        case 7:
            return multiply_direct<Format, groups, 7>(weights, group_bytes, tile);
        default:
            return multiply_direct<Format, groups, 8>(weights, group_bytes, tile);
    }
}

LLM_SIMD TokenTile token_tile(const MatmulArgs &args, const TokenTerms &terms, Slab slab, uint32_t token,
                              uint32_t group) {
    return {args.x.q + token * size_t{args.columns} + slab.first_unit * unit_length,
            args.columns,
            &terms,
            args.out + token * args.out_stride + group * rows_per_group,
            args.out_stride,
            slab.unit_count,
            slab.first_unit != 0};
}

// Groups from `first_group` on, tokens by tiles of eight.
template <class Format>
void multiply_slab_direct(const MatmulArgs &args, const uint8_t *weights, size_t group_bytes, Slab slab,
                          uint32_t first_group) {
    TokenTerms &terms = reinterpret_cast<MatmulScratch *>(args.scratch)->terms;
    for (uint32_t token = 0; token < args.token_count;) {
        const uint32_t tokens = next_part(args.token_count - token, tile_tokens);
        fill_terms<Format>(terms, args, slab, token, tokens);
        uint32_t group = first_group;
        if (tokens == 1)
            for (; group + 2 <= args.group_count; group += 2)
                multiply_direct<Format, 2, 1>(weights + group * group_bytes, group_bytes,
                                              token_tile(args, terms, slab, token, group));
        for (; group < args.group_count; ++group)
            multiply_direct_tokens<Format, 1>(weights + group * group_bytes, group_bytes,
                                              token_tile(args, terms, slab, token, group), tokens);
        token += tokens;
    }
}

// Unpacks a slab of two groups.
template <class Format>
void unpack_panel(uint8_t *panel, const uint8_t *weights, size_t group_bytes, uint32_t unit_count) {
    using Unit = PanelUnit<Format::scales, Format::has_minimum>;
    for (uint32_t g = 0; g < 2; ++g, weights += group_bytes) {
        const uint8_t *block = weights;
        uint8_t *out = panel + g * vector_bytes;
        for (uint32_t done = 0; done < unit_count; done += Format::units, block += Format::block_bytes) {
            const typename Format::Header header = Format::header(block);
            for (uint32_t unit = 0; unit < Format::units; ++unit, out += Unit::bytes) {
                __m512i q[8];
                Format::quants(q, block, unit);
                LLM_UNROLL
                for (uint32_t i = 0; i < 8; ++i) _mm512_store_si512(out + i * 2 * vector_bytes, q[i]);
                LLM_UNROLL
                for (uint32_t i = 0; i < Format::scales; ++i) {
                    _mm512_store_ps(out + Unit::scales_at + i * 2 * vector_bytes,
                                    Format::scale(header, block, unit, i));
                    if constexpr (Format::has_minimum)
                        _mm512_store_ps(out + Unit::minimums_at + i * 2 * vector_bytes,
                                        Format::minimum(header, block, unit, i));
                }
            }
        }
    }
}

template <class Format>
void multiply_slab_panels(const MatmulArgs &args, const uint8_t *weights, size_t group_bytes, Slab slab) {
    MatmulScratch &scratch = *reinterpret_cast<MatmulScratch *>(args.scratch);
    uint32_t group = 0;
    for (; group + 2 <= args.group_count; group += 2) {
        unpack_panel<Format>(scratch.panel, weights + group * group_bytes, group_bytes, slab.unit_count);
        for (uint32_t token = 0; token < args.token_count;) {
            const uint32_t tokens = next_part(args.token_count - token, panel_tokens);
            fill_terms<Format>(scratch.terms, args, slab, token, tokens);
            panel_kernel(Format::scales, Format::has_minimum, tokens)(
                scratch.panel, token_tile(args, scratch.terms, slab, token, group));
            token += tokens;
        }
    }
    if (group < args.group_count) multiply_slab_direct<Format>(args, weights, group_bytes, slab, group);
}

template <class Format>
void multiply(const MatmulArgs &args) {
    const uint32_t unit_count = args.columns / unit_length;
    const size_t group_bytes = unit_count / Format::units * Format::block_bytes;
    const uint32_t parts = (unit_count + slab_units - 1) / slab_units;
    const uint32_t part = ((unit_count + parts - 1) / parts + k_units - 1) / k_units * k_units;
    for (uint32_t first = 0; first < unit_count; first += part) {
        const Slab slab = {first, first + part < unit_count ? part : unit_count - first};
        const uint8_t *weights = args.weights + first / Format::units * Format::block_bytes;
        if (args.token_count < panel_from_tokens)
            multiply_slab_direct<Format>(args, weights, group_bytes, slab, 0);
        else
            multiply_slab_panels<Format>(args, weights, group_bytes, slab);
    }
}

}  // namespace llm::avx512
