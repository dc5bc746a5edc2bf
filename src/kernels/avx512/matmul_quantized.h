// The matrix kernel of a quantized format: chooses between unpacking in registers and unpacking to a panel.
#pragma once

#include "kernels/avx512/matmul_direct.h"
#include "kernels/avx512/matmul_kernels.h"
#include "kernels/avx512/matmul_panel.h"

namespace llm::avx512 {

// From this many tokens on a panel is worth its memory traffic.
constexpr uint32_t panel_from_tokens = 33;

template <class Format>
void multiply_direct_tokens(const uint8_t *weights, const TokenTile &tile, uint32_t tokens) {
    switch (tokens) {
        case 1:
            return multiply_direct<Format, 1>(weights, tile);
        case 2:
            return multiply_direct<Format, 2>(weights, tile);
        case 3:
            return multiply_direct<Format, 3>(weights, tile);
        case 4:
            return multiply_direct<Format, 4>(weights, tile);
        case 5:
            return multiply_direct<Format, 5>(weights, tile);
        case 6:
            return multiply_direct<Format, 6>(weights, tile);
        case 7:
            return multiply_direct<Format, 7>(weights, tile);
        default:
            return multiply_direct<Format, 8>(weights, tile);
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
        for (uint32_t group = first_group; group < args.group_count; ++group)
            multiply_direct_tokens<Format>(weights + group * group_bytes, token_tile(args, terms, slab, token, group),
                                           tokens);
        token += tokens;
    }
}

// Unpacks a slab of one group into its half of a panel.
template <class Format>
LLM_SIMD void unpack_half_panel(uint8_t *out, const uint8_t *block, uint32_t unit_count) {
    using Unit = PanelUnit<Format::scales, Format::has_minimum>;
    for (uint32_t done = 0; done < unit_count; done += Format::units, block += Format::block_bytes) {
        const typename Format::Header header = Format::header(block);
        for (uint32_t unit = 0; unit < Format::units; ++unit, out += Unit::bytes) {
            __m512i q[8];
            Format::quants(q, block, unit);
            LLM_UNROLL
            for (uint32_t g = 0; g < 8; ++g) _mm512_store_si512(out + g * 2 * vector_bytes, q[g]);
            LLM_UNROLL
            for (uint32_t i = 0; i < Format::scales; ++i) {
                const size_t at = i * 2 * vector_bytes;
                _mm512_store_ps(out + Unit::scales_at + at, Format::scale(header, block, unit, i));
                if constexpr (Format::has_minimum)
                    _mm512_store_ps(out + Unit::minimums_at + at, Format::minimum(header, block, unit, i));
            }
        }
    }
}

// Pairs of groups: as many panels as there is room for at a time, so that the terms of a tile serve all of them.
template <class Format>
void multiply_slab_panels(const MatmulArgs &args, const uint8_t *weights, size_t group_bytes, Slab slab) {
    MatmulScratch &scratch = *reinterpret_cast<MatmulScratch *>(args.scratch);
    const size_t panel_bytes = slab.unit_count * PanelUnit<Format::scales, Format::has_minimum>::bytes;
    const uint32_t room = slab_units / slab.unit_count;
    for (uint32_t done = 0; done < args.group_count / 2;) {
        const uint32_t panels = next_part(args.group_count / 2 - done, room);
        for (uint32_t i = 0; i < 2 * panels; ++i)
            unpack_half_panel<Format>(scratch.panels + i / 2 * panel_bytes + i % 2 * vector_bytes,
                                      weights + (2 * done + i) * group_bytes, slab.unit_count);
        for (uint32_t token = 0; token < args.token_count;) {
            const uint32_t tokens = next_part(args.token_count - token, panel_tokens);
            const PanelKernel kernel = panel_kernel(Format::scales, Format::has_minimum, tokens);
            fill_terms<Format>(scratch.terms, args, slab, token, tokens);
            for (uint32_t i = 0; i < panels; ++i)
                kernel(scratch.panels + i * panel_bytes, token_tile(args, scratch.terms, slab, token, 2 * (done + i)));
            token += tokens;
        }
        done += panels;
    }
    if (args.group_count % 2 != 0) multiply_slab_direct<Format>(args, weights, group_bytes, slab, args.group_count - 1);
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
