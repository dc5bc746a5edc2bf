// Attention with AVX-512: the softmax of a row; the products are in attention_blocks.h. Half floats are widened as they
// are loaded: that is faster than to keep a widened page.
#include "kernels/avx512/attention_blocks.h"
#include "kernels/avx512/elementary.h"
#include "kernels/fill.h"

namespace llm::avx512 {

namespace {

#include "kernels/attention_pages.inc"

void rescale(float *weighted, uint32_t head_length, float factor) {
    for (uint32_t d = 0; d < head_length; d += 16) {
        const __mmask16 mask = first_lanes(head_length - d);
        const __m512 v = _mm512_maskz_loadu_ps(mask, weighted + d);
        _mm512_mask_storeu_ps(weighted + d, mask, _mm512_mul_ps(v, _mm512_set1_ps(factor)));
    }
}

void softmax_row(const AttentionArgs &args, uint32_t row, Range seen, float *p) {
    const uint64_t mask = (~uint64_t{0} >> (page_positions - (seen.last - seen.first))) << seen.first;
    const auto tile_mask = [=](uint32_t t) { return static_cast<__mmask16>(mask >> (t * tile_positions)); };
    __m512 s[page_tiles];
    __m512 largest = _mm512_set1_ps(minus_infinity);
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        s[t] = _mm512_loadu_ps(p + t * tile_positions);
        if (args.softcap != 0.0f) s[t] = soft_capped(s[t], _mm512_set1_ps(args.softcap));
        // With a NaN, max gives its second operand.
        largest = _mm512_mask_max_ps(largest, tile_mask(t), s[t], largest);
    }
    const __m512 maximum = _mm512_set1_ps(raise_maximum(args, row, _mm512_reduce_max_ps(largest)));
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        s[t] = exp_of_negative(_mm512_sub_ps(s[t], maximum), tile_mask(t));
        _mm512_storeu_ps(p + t * tile_positions, s[t]);
    }
    args.sum[row] += reduce16(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), s[2]), s[3]));
}

}  // namespace

void fill_attention(KernelTable &table) { fill_attention_slots(table); }

}  // namespace llm::avx512
