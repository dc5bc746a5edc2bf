// Attention with AVX2: the softmax of a row, merging of parts and storing into the cache; the products are in
// attention_blocks.h.
#include "kernels/avx2/attention_blocks.h"
#include "kernels/avx2/elementary.h"
#include "kernels/fill.h"

namespace llm::avx2 {

namespace {

#include "kernels/attention_pages.inc"

void rescale(float *weighted, uint32_t head_length, float factor) {
    for (uint32_t d = 0; d < head_length; d += 8)
        _mm256_storeu_ps(weighted + d, _mm256_mul_ps(_mm256_loadu_ps(weighted + d), _mm256_set1_ps(factor)));
}

// All ones for the positions of the eight from `position` on that are seen.
inline __m256 seen_lanes(Range seen, uint32_t position) {
    const __m256i lane =
        _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(static_cast<int32_t>(position)));
    const __m256i before_last = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(seen.last)), lane);
    const __m256i before_first = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int32_t>(seen.first)), lane);
    return _mm256_castsi256_ps(_mm256_andnot_si256(before_first, before_last));
}

float largest_score(float *scores, Range seen, float softcap) {
    __m256 largest = _mm256_set1_ps(minus_infinity);
    for (uint32_t j = 0; j < page_positions; j += 8) {
        __m256 s = _mm256_loadu_ps(scores + j);
        if (softcap != 0.0f) {
            s = soft_capped(s, _mm256_set1_ps(softcap));
            _mm256_storeu_ps(scores + j, s);
        }
        const __m256 visible = _mm256_blendv_ps(_mm256_set1_ps(minus_infinity), s, seen_lanes(seen, j));
        largest = _mm256_max_ps(visible, largest);  // with a NaN, max gives its second operand
    }
    return largest_lane(largest);
}

float exponentiate(float *scores, Range seen, float maximum) {
    const auto next_eight = [&](uint32_t j) {
        const __m256 difference = _mm256_sub_ps(_mm256_loadu_ps(scores + j), _mm256_set1_ps(maximum));
        const __m256 p = _mm256_and_ps(exp(difference), seen_lanes(seen, j));
        _mm256_storeu_ps(scores + j, p);
        return p;
    };
    __m256 low = next_eight(0);
    __m256 high = next_eight(8);
    for (uint32_t j = 16; j < page_positions; j += 16) {
        low = _mm256_add_ps(low, next_eight(j));
        high = _mm256_add_ps(high, next_eight(j + 8));
    }
    return reduce16(low, high);
}

void attention_merge(float *maximum_a, float *sum_a, float *weighted_a, float maximum_b, float sum_b,
                     const float *weighted_b, uint32_t head_length) {
    if (maximum_b == minus_infinity) return;
    if (*maximum_a == minus_infinity) {
        *maximum_a = maximum_b;
        *sum_a = sum_b;
        __builtin_memcpy(weighted_a, weighted_b, head_length * sizeof(float));
        return;
    }
    const float m = maximum_b > *maximum_a ? maximum_b : *maximum_a;
    const float factor_a = exp(*maximum_a - m);
    const float factor_b = exp(maximum_b - m);
    *maximum_a = m;
    *sum_a = __builtin_fmaf(sum_b, factor_b, *sum_a * factor_a);
    for (uint32_t d = 0; d < head_length; d += 8) {
        const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(weighted_a + d), _mm256_set1_ps(factor_a));
        const __m256 merged = _mm256_fmadd_ps(_mm256_loadu_ps(weighted_b + d), _mm256_set1_ps(factor_b), scaled);
        _mm256_storeu_ps(weighted_a + d, merged);
    }
}

inline __m128i narrow(const float *from) {
    return _mm256_cvtps_ph(_mm256_loadu_ps(from), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

void store_key(void *page, uint32_t position, const float *key, uint32_t head_length) {
    const uint32_t j = position % page_positions;
    auto *out = static_cast<uint16_t *>(page) + j / tile_positions * tile_positions * head_length + j % tile_positions;
    for (uint32_t d = 0; d < head_length; d += 8) {
        uint16_t halves[8];
        _mm_storeu_si128(reinterpret_cast<__m128i *>(halves), narrow(key + d));
        for (uint32_t i = 0; i < 8; ++i) out[(d + i) * tile_positions] = halves[i];
    }
}

void store_value(void *page, uint32_t position, const float *value, uint32_t head_length) {
    auto *out = static_cast<uint16_t *>(page) + position % page_positions * head_length;
    for (uint32_t d = 0; d < head_length; d += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i *>(out + d), narrow(value + d));
}

}  // namespace

void fill_attention(KernelTable &table) {
    fill_attention_slots(table);
    table.attention_merge = attention_merge;
    table.store_key[static_cast<uint32_t>(CacheType::f16)] = store_key;
    table.store_value[static_cast<uint32_t>(CacheType::f16)] = store_value;
}

}  // namespace llm::avx2
