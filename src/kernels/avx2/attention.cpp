// Attention with AVX2: the softmax of a row, storing into the cache; the products are in
// attention_blocks.h.
#include "kernels/avx2/attention_integer_blocks.h"
#include "kernels/avx2/elementary.h"
#include "kernels/fill.h"

namespace llm::avx2 {

namespace {

float norm_of(const float *x, uint32_t count) {
    __m256 low = _mm256_setzero_ps(), high = low;
    for (uint32_t i = 0; i < count; i += 16) {
        const __m256 v = _mm256_loadu_ps(x + i);
        low = _mm256_fmadd_ps(v, v, low);
        if (i + 8 == count) break;
        const __m256 w = _mm256_loadu_ps(x + i + 8);
        high = _mm256_fmadd_ps(w, w, high);
    }
    return __builtin_sqrtf(reduce16(low, high));
}

// As integers, magnitudes order like floats, and a NaN is above infinity.
float largest_magnitude(const float *x, uint32_t count) {
    __m256i largest = _mm256_setzero_si256();
    for (uint32_t i = 0; i < count; i += 8) {
        const __m256i magnitude = _mm256_and_si256(load_bytes(x + i), _mm256_set1_epi32(0x7fffffff));
        largest = _mm256_max_epi32(largest, magnitude);
    }
    const __m128i four = _mm_max_epi32(_mm256_castsi256_si128(largest), _mm256_extracti128_si256(largest, 1));
    const __m128i two = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_max_epi32(two, _mm_shuffle_epi32(two, 0xb1))));
}

// Integers that fit into 16 bits, narrowed.
inline __m128i narrow_to_16(__m256i x) {
    return _mm_packs_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
}

void to_integers(int16_t *out, const float *x, uint32_t count, float factor) {
    for (uint32_t i = 0; i < count; i += 8) {
        const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(x + i), _mm256_set1_ps(factor));
        _mm_storeu_si128(reinterpret_cast<__m128i *>(out + i), narrow_to_16(_mm256_cvtps_epi32(scaled)));
    }
}

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

// Applies the softcap, unless it is 0, to the scores of a row, and gives the largest one that is seen.
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

// u = w * f, rounded, where w[j] = p[j] * scales[j] for positions that are seen, else 0; returns the scale of u.
float weights_to_integers(int16_t *u, const float *p, const float *scales, Range seen) {
    __m256 w[page_positions / 8];
    for (uint32_t i = 0; i < page_positions / 8; ++i)
        w[i] = _mm256_and_ps(_mm256_mul_ps(_mm256_loadu_ps(p + i * 8), _mm256_loadu_ps(scales + i * 8)),
                             seen_lanes(seen, i * 8));
    __m256 low = w[0], high = w[1];
    for (uint32_t i = 2; i < page_positions / 8; i += 2) {
        low = _mm256_add_ps(low, w[i]);
        high = _mm256_add_ps(high, w[i + 1]);
    }
    const Scaling scaling = scaling_for(reduce16(low, high), limit16);
    const __m256 factor = _mm256_set1_ps(scaling.factor);
    const __m256i usable = _mm256_set1_epi32(scaling.factor == 0.0f ? 0 : -1);
    for (uint32_t i = 0; i < page_positions / 8; ++i) {
        const __m256i rounded = _mm256_and_si256(_mm256_cvtps_epi32(_mm256_mul_ps(w[i], factor)), usable);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(u + i * 8), narrow_to_16(rounded));
    }
    return scaling.scale;
}

// Turns the scores of a row into exponentials relative to `maximum` and gives their sum.
float exponentiate(float *scores, Range seen, float maximum) {
    const auto next_eight = [&](uint32_t j) {
        const __m256 difference = _mm256_sub_ps(_mm256_loadu_ps(scores + j), _mm256_set1_ps(maximum));
        const __m256 p = _mm256_and_ps(exp_of_negative(difference), seen_lanes(seen, j));
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

// Takes the largest score of a page into account; returns the row's factor.
float raise_maximum(const AttentionArgs &args, uint32_t row, float page_maximum) {
    const float old_maximum = args.maximum[row];
    const float maximum = (page_maximum > old_maximum ? page_maximum : old_maximum) + 0.0f;
    args.maximum[row] = maximum;
    // With nothing summed up yet, there is nothing to bring to the new maximum.
    if (!(maximum > old_maximum) || old_maximum == minus_infinity) return 1.0f;
    const float factor = exp(old_maximum - maximum);
    args.sum[row] *= factor;
    return factor;
}

// Two passes, because each has long chains of operations that overlap only with others of their kind.
void softmax_page(const Page &page) {
    const AttentionArgs &args = page.args;
    for (uint32_t row = page.rows.first; row < page.rows.last; ++row) {
        const Range seen = visible_positions(args, row, page.begin);
        const bool sees = seen.first < seen.last;
        factors_of(page)[row] =
            sees ? raise_maximum(args, row, largest_score(scores_of(page, row), seen, args.softcap)) : 1.0f;
    }
    for (uint32_t row = page.rows.first; row < page.rows.last; ++row) {
        const Range seen = visible_positions(args, row, page.begin);
        if (seen.first < seen.last) args.sum[row] += exponentiate(scores_of(page, row), seen, args.maximum[row]);
    }
}

void make_integer_weights(const Page &page, const float *scales) {
    for (uint32_t row = page.rows.first; row < page.rows.last; ++row) {
        int16_t *weights = page.scratch.weights + size_t{row} * page_positions;
        const Range seen = visible_positions(page.args, row, page.begin);
        const float scale = weights_to_integers(weights, scores_of(page, row), scales, seen);
        weights_scale_of(page)[row] = seen.first < seen.last ? scale : -0.0f;
    }
}

void merge_weighted(float *weighted_a, float factor_a, const float *weighted_b, float factor_b, uint32_t head_length) {
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
    table.store_key[static_cast<uint32_t>(CacheType::f16)] = store_key;
    table.store_value[static_cast<uint32_t>(CacheType::f16)] = store_value;
}

}  // namespace llm::avx2
