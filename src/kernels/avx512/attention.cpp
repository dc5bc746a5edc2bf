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

// The lanes of a tile that are seen.
LLM_SIMD __mmask16 seen_lanes(Range seen, uint32_t tile) {
    const uint64_t positions = (~uint64_t{0} >> (page_positions - (seen.last - seen.first))) << seen.first;
    return static_cast<__mmask16>(positions >> (tile * tile_positions));
}

float largest_score(float *scores, Range seen, float softcap) {
    __m512 largest = _mm512_set1_ps(minus_infinity);
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        __m512 s = _mm512_loadu_ps(scores + t * tile_positions);
        if (softcap != 0.0f) {
            s = soft_capped(s, _mm512_set1_ps(softcap));
            _mm512_storeu_ps(scores + t * tile_positions, s);
        }
        // With a NaN, max gives its second operand.
        largest = _mm512_mask_max_ps(largest, seen_lanes(seen, t), s, largest);
    }
    return _mm512_reduce_max_ps(largest);
}

float exponentiate(float *scores, Range seen, float maximum) {
    __m512 p[page_tiles];
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        const __m512 s = _mm512_loadu_ps(scores + t * tile_positions);
        p[t] = exp_of_negative(_mm512_sub_ps(s, _mm512_set1_ps(maximum)), seen_lanes(seen, t));
        _mm512_storeu_ps(scores + t * tile_positions, p[t]);
    }
    return reduce16(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(p[0], p[1]), p[2]), p[3]));
}

}  // namespace

void fill_attention(KernelTable &table) { fill_attention_slots(table); }

}  // namespace llm::avx512
