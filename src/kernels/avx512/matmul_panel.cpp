// The micro-kernels that multiply a panel of 32 unpacked rows with up to six tokens.
#include "kernels/avx512/matmul_panel.h"

#include "kernels/avx512/sums.h"

namespace llm::avx512 {

namespace {

template <uint32_t scales, bool has_minimum, uint32_t tokens>
void multiply_panel(const uint8_t *panel, const TokenTile &tile) {
    using Unit = PanelUnit<scales, has_minimum>;
    constexpr uint32_t steps = 8 / scales;
    Sums<2, tokens> sums;
    sums.load(tile.out, tile.out_stride, tile.resume);
    TileCursor<tokens> x(tile);
    for (uint32_t unit = 0; unit < tile.unit_count; ++unit, panel += Unit::bytes, x.advance(scales)) {
        LLM_UNROLL
        for (uint32_t i = 0; i < scales; ++i) {
            __m512i dots[2][tokens];
            LLM_UNROLL
            for (uint32_t t = 0; t < tokens; ++t)
                dots[0][t] = dots[1][t] = has_minimum ? _mm512_setzero_si512() : x.seed(t, i);
            LLM_UNROLL
            for (uint32_t g = i * steps; g < (i + 1) * steps; ++g) {
                const __m512i weights0 = load512(panel + g * 128), weights1 = load512(panel + g * 128 + 64);
                LLM_UNROLL
                for (uint32_t t = 0; t < tokens; ++t) {
                    const __m512i activations = x.activations(t, g);
                    dots[0][t] = _mm512_dpbusd_epi32(dots[0][t], weights0, activations);
                    dots[1][t] = _mm512_dpbusd_epi32(dots[1][t], weights1, activations);
                }
            }
            LLM_UNROLL
            for (uint32_t g = 0; g < 2; ++g)
                add_scaled<tokens>(sums.value[g], dots[g], x,
                                   _mm512_load_ps(panel + Unit::scales_at + (2 * i + g) * 64));
            if constexpr (has_minimum) {
                LLM_UNROLL
                for (uint32_t g = 0; g < 2; ++g)
                    add_minimum<tokens>(sums.value[g], x, i,
                                        _mm512_load_ps(panel + Unit::minimums_at + (2 * i + g) * 64));
            }
        }
    }
    sums.store(tile.out, tile.out_stride);
}

template <uint32_t scales, bool has_minimum>
PanelKernel kernel_for(uint32_t tokens) {
    static constexpr PanelKernel kernels[panel_tokens] = {
        multiply_panel<scales, has_minimum, 1>, multiply_panel<scales, has_minimum, 2>,
        multiply_panel<scales, has_minimum, 3>, multiply_panel<scales, has_minimum, 4>,
        multiply_panel<scales, has_minimum, 5>, multiply_panel<scales, has_minimum, 6>};
    return kernels[tokens - 1];
}

}  // namespace

PanelKernel panel_kernel(uint32_t scales, bool has_minimum, uint32_t tokens) {
    if (scales == 1) return has_minimum ? kernel_for<1, true>(tokens) : kernel_for<1, false>(tokens);
    return has_minimum ? kernel_for<2, true>(tokens) : kernel_for<2, false>(tokens);
}

}  // namespace llm::avx512
