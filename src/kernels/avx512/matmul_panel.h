// Quantized weights times many tokens: two groups are unpacked into a panel of bytes, then the tokens sweep over it in
// tiles. The panel is the same for all formats but for the number of scales and the presence of minimums.
#pragma once

#include "kernels/avx512/matmul_terms.h"

namespace llm::avx512 {

// A panel holds, for each unit: 8 x 2 vectors of quants (columns 4g .. 4g + 3 of group 0, then of group 1), then for
// each scale of the unit the scales of both groups, and with minimums likewise these.
template <uint32_t scales, bool has_minimum>
struct PanelUnit {
    static constexpr size_t scales_at = 8 * 2 * 64;
    static constexpr size_t minimums_at = scales_at + scales * 2 * 64;
    static constexpr size_t bytes = minimums_at + (has_minimum ? scales * 2 * 64 : 0);
};

// What a unit takes up in the largest panel.
constexpr size_t panel_unit_bytes = PanelUnit<2, true>::bytes;

// The most tokens of a tile: 12 integer and 12 float sums, 2 vectors of weights and what they meet fill the registers.
constexpr uint32_t panel_tokens = 6;

struct MatmulScratch {
    TokenTerms terms;
    alignas(64) uint8_t panels[slab_units * panel_unit_bytes];
};

using PanelKernel = void (*)(const uint8_t *panel, const TokenTile &tile);

// The kernel for `tokens` (1 .. panel_tokens) tokens.
PanelKernel panel_kernel(uint32_t scales, bool has_minimum, uint32_t tokens);

}  // namespace llm::avx512
