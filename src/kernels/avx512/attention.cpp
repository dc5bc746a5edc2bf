// Attention with AVX-512: the softmax; the products are in attention_blocks.h and attention_integer_blocks.h. Half
// floats are widened as they are loaded: that is faster than to keep a widened page.
#include "kernels/avx512/attention_integer_blocks.h"
#include "kernels/avx512/elementary.h"
#include "kernels/fill.h"

namespace llm::avx512 {

namespace {

float norm_of(const float *x, uint32_t count) {
    __m512 lanes = _mm512_setzero_ps();
    for (uint32_t i = 0; i < count; i += 16) {
        const __m512 v = _mm512_maskz_loadu_ps(first_lanes(count - i), x + i);
        lanes = _mm512_fmadd_ps(v, v, lanes);
    }
    return __builtin_sqrtf(reduce16(lanes));
}

// As integers, magnitudes order like floats, and a NaN is above infinity.
float largest_magnitude(const float *x, uint32_t count) {
    __m512i largest = _mm512_setzero_si512();
    for (uint32_t i = 0; i < count; i += 16) {
        const __m512 v = _mm512_maskz_loadu_ps(first_lanes(count - i), x + i);
        largest = _mm512_max_epi32(largest, _mm512_castps_si512(_mm512_abs_ps(v)));
    }
    return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(largest))));
}

void to_integers(int16_t *out, const float *x, uint32_t count, float factor) {
    for (uint32_t i = 0; i < count; i += 16) {
        const __mmask16 mask = first_lanes(count - i);
        const __m512 scaled = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, x + i), _mm512_set1_ps(factor));
        _mm512_mask_cvtepi32_storeu_epi16(out + i, mask, _mm512_cvtps_epi32(scaled));
    }
}

#include "kernels/attention_pages.inc"

// ---- Rows, sixteen at once: what is sought across the lanes of a row is found for all of them together ------------

constexpr uint32_t lanes = 16;
constexpr uint64_t all_positions = ~uint64_t{0};

// The lanes of one tile.
LLM_SIMD __mmask16 tile_lanes(uint64_t positions, uint32_t tile) {
    return static_cast<__mmask16>(positions >> (tile * tile_positions));
}

// Rows of a page from `first` on, at most sixteen.
struct RowBlock {
    const Page &page;
    uint32_t first, count;
    uint64_t seen[lanes];   // positions that a row sees, a bit for each
    __mmask16 sighted = 0;  // rows that see something

    RowBlock(const Page &of, uint32_t row) : page(of), first(row), count(least(lanes, of.rows.last - row)) {
        if (page.all_seen) {
            for (uint32_t r = 0; r < count; ++r) seen[r] = all_positions;
            sighted = first_lanes(count);
            return;
        }
        for (uint32_t r = 0; r < count; ++r) {
            const Range range = visible_positions(page.args, row + r, page.begin);
            const bool sees = range.first < range.last;
            seen[r] = sees ? (all_positions >> (page_positions - (range.last - range.first))) << range.first : 0;
            sighted |= static_cast<__mmask16>((sees ? 1u : 0u) << r);
        }
    }

    float *scores(uint32_t r) const { return scores_of(page, first + r); }
    // A number for each row of the block.
    LLM_SIMD __m512 load(const float *of_rows) const {
        return _mm512_maskz_loadu_ps(first_lanes(count), of_rows + first);
    }
    LLM_SIMD void store(float *of_rows, __m512 value) const {
        _mm512_mask_storeu_ps(of_rows + first, first_lanes(count), value);
    }
};

// Lane i is what combine() makes of the lanes of v[i], in the order of reduce16().
template <class Combine>
LLM_SIMD __m512 across_lanes(__m512 (&v)[lanes], Combine combine) {
    LLM_UNROLL
    for (uint32_t i = 0; i < 8; ++i)
        v[i] = combine(_mm512_shuffle_f32x4(v[i], v[i + 8], 0x44), _mm512_shuffle_f32x4(v[i], v[i + 8], 0xee));
    LLM_UNROLL
    for (uint32_t i = 0; i < 4; ++i)
        v[i] = combine(_mm512_shuffle_f32x4(v[i], v[i + 4], 0x88), _mm512_shuffle_f32x4(v[i], v[i + 4], 0xdd));
    // Now the quarters of v[i] belong to rows i, i + 8, i + 4 and i + 12.
    LLM_UNROLL
    for (uint32_t i = 0; i < 2; ++i)
        v[i] = combine(_mm512_shuffle_ps(v[i], v[i + 2], 0x44), _mm512_shuffle_ps(v[i], v[i + 2], 0xee));
    const __m512 mixed = combine(_mm512_shuffle_ps(v[0], v[1], 0x88), _mm512_shuffle_ps(v[0], v[1], 0xdd));
    const __m512i order = _mm512_setr_epi32(0, 2, 1, 3, 8, 10, 9, 11, 4, 6, 5, 7, 12, 14, 13, 15);
    return _mm512_permutexvar_ps(order, mixed);
}

LLM_SIMD __m512 sum_across_lanes(__m512 (&v)[lanes]) {
    return across_lanes(v, [](__m512 a, __m512 b) { return _mm512_add_ps(a, b); });
}

// The lanes of the four tiles of a page, added up as in sum64().
LLM_SIMD __m512 sum_of_tiles(const __m512 (&v)[page_tiles]) {
    return _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(v[0], v[1]), v[2]), v[3]);
}

LLM_SIMD void set_all(__m512 (&v)[lanes], float value) {
    LLM_UNROLL
    for (uint32_t i = 0; i < lanes; ++i) v[i] = _mm512_set1_ps(value);
}

void rescale(float *weighted, uint32_t head_length, float factor) {
    for (uint32_t d = 0; d < head_length; d += 16) {
        const __mmask16 mask = first_lanes(head_length - d);
        const __m512 v = _mm512_maskz_loadu_ps(mask, weighted + d);
        _mm512_mask_storeu_ps(weighted + d, mask, _mm512_mul_ps(v, _mm512_set1_ps(factor)));
    }
}

// The largest score of a row that sees all of a page, or the lanes of `seen`, in each lane.
template <bool all>
LLM_SIMD __m512 largest_of_row(float *scores, uint64_t seen, float softcap) {
    __m512 largest = _mm512_set1_ps(minus_infinity);
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        __m512 s = _mm512_loadu_ps(scores + t * tile_positions);
        if (softcap != 0.0f) {
            s = soft_capped(s, _mm512_set1_ps(softcap));
            _mm512_storeu_ps(scores + t * tile_positions, s);
        }
        // With a NaN, max gives its second operand.
        largest = all ? _mm512_max_ps(s, largest) : _mm512_mask_max_ps(largest, tile_lanes(seen, t), s, largest);
    }
    return largest;
}

// Applies the softcap and gives the largest score that each row sees.
__m512 largest_scores(const RowBlock &block) {
    const float softcap = block.page.args.softcap;
    __m512 largest[lanes];
    set_all(largest, minus_infinity);
    for (uint32_t r = 0; r < block.count; ++r)
        largest[r] = block.seen[r] == all_positions ? largest_of_row<true>(block.scores(r), 0, softcap)
                                                    : largest_of_row<false>(block.scores(r), block.seen[r], softcap);
    return across_lanes(largest, [](__m512 a, __m512 b) { return _mm512_max_ps(a, b); });
}

void raise_maxima(const RowBlock &block) {
    const AttentionArgs &args = block.page.args;
    const __m512 page_maximum = largest_scores(block);
    const __m512 old_maximum = block.load(args.maximum);
    const __mmask16 raised = _mm512_cmp_ps_mask(page_maximum, old_maximum, _CMP_GT_OQ);
    const __m512 maximum = _mm512_add_ps(_mm512_mask_mov_ps(old_maximum, raised, page_maximum), _mm512_setzero_ps());
    block.store(args.maximum, maximum);
    // With nothing summed up yet, there is nothing to bring to the new maximum.
    const __mmask16 stale = _mm512_mask_cmp_ps_mask(raised & first_lanes(block.count), old_maximum,
                                                    _mm512_set1_ps(minus_infinity), _CMP_NEQ_UQ);
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 factor = _mm512_mask_mov_ps(one, stale, exp(_mm512_sub_ps(old_maximum, maximum)));
    block.store(factors_of(block.page), factor);
    const __m512 sum = block.load(args.sum);
    block.store(args.sum, _mm512_mask_mul_ps(sum, stale, sum, factor));
}

// Turns scores into exponentials p, or into p * scales if they are to be scaled.
template <bool all, bool scaled>
LLM_SIMD void exponentiate_row(float *scores, uint64_t seen, float maximum, const float *scales, __m512 &sum,
                               __m512 &scaled_sum) {
    __m512 p[page_tiles], w[page_tiles];
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        const __m512 s = _mm512_sub_ps(_mm512_loadu_ps(scores + t * tile_positions), _mm512_set1_ps(maximum));
        p[t] = w[t] = exp_of_negative(s, all ? 0xffff : tile_lanes(seen, t));
        if constexpr (scaled) {
            const __m512 scale = _mm512_loadu_ps(scales + t * tile_positions);
            w[t] = all ? _mm512_mul_ps(p[t], scale) : _mm512_maskz_mul_ps(tile_lanes(seen, t), p[t], scale);
        }
        _mm512_storeu_ps(scores + t * tile_positions, w[t]);
    }
    sum = sum_of_tiles(p);
    scaled_sum = sum_of_tiles(w);
}

// The scales of the values when they have one block: then they are multiplied into the weights at once.
const float *only_scales(const Page &page) {
    return page.args.value_type == CacheType::q16 ? page_scales<int16_t>(page.values) : nullptr;
}

template <bool scaled>
void exponentiate(const RowBlock &block, const float *scales) {
    const AttentionArgs &args = block.page.args;
    __m512 sums[lanes], scaled_sums[lanes];
    set_all(sums, 0.0f);
    set_all(scaled_sums, 0.0f);
    for (uint32_t r = 0; r < block.count; ++r) {
        const float maximum = args.maximum[block.first + r];
        if (block.seen[r] == all_positions)
            exponentiate_row<true, scaled>(block.scores(r), 0, maximum, scales, sums[r], scaled_sums[r]);
        else
            exponentiate_row<false, scaled>(block.scores(r), block.seen[r], maximum, scales, sums[r], scaled_sums[r]);
    }
    block.store(args.sum, _mm512_add_ps(block.load(args.sum), sum_across_lanes(sums)));
    if (scaled) block.store(weights_scale_of(block.page), sum_across_lanes(scaled_sums));
}

void softmax_page(const Page &page) {
    const float *scales = only_scales(page);
    for (uint32_t row = page.rows.first; row < page.rows.last; row += lanes) {
        const RowBlock block(page, row);
        raise_maxima(block);
        if (scales)
            exponentiate<true>(block, scales);
        else
            exponentiate<false>(block, nullptr);
    }
}

// p * scales of row r, unless the scales are already in.
LLM_SIMD void load_weights(__m512 (&w)[page_tiles], const RowBlock &block, uint32_t r, const float *scales) {
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        w[t] = _mm512_loadu_ps(block.scores(r) + t * tile_positions);
        if (scales)
            w[t] =
                _mm512_maskz_mul_ps(tile_lanes(block.seen[r], t), w[t], _mm512_loadu_ps(scales + t * tile_positions));
    }
}

__m512 sums_of_weights(const RowBlock &block, const float *scales) {
    __m512 sums[lanes], w[page_tiles];
    set_all(sums, 0.0f);
    for (uint32_t r = 0; r < block.count; ++r) {
        load_weights(w, block, r, scales);
        sums[r] = sum_of_tiles(w);
    }
    return sum_across_lanes(sums);
}

void make_integer_weights(const RowBlock &block, const float *scales) {
    float *scale_of = weights_scale_of(block.page);
    if (only_scales(block.page)) scales = nullptr;
    // As scaling_for(), for sixteen rows.
    const __m512 sum = scales ? sums_of_weights(block, scales) : block.load(scale_of);
    const __m512 limit = _mm512_set1_ps(limit16);
    const __m512 factor = _mm512_div_ps(limit, sum);
    const __mmask16 usable = _mm512_cmp_ps_mask(factor, _mm512_setzero_ps(), _CMP_GT_OQ) &
                             _mm512_cmp_ps_mask(factor, infinity(), _CMP_LT_OQ);
    const __m512 scale = _mm512_mask_div_ps(sum, usable, sum, limit);
    block.store(scale_of, _mm512_mask_mov_ps(_mm512_set1_ps(-0.0f), block.sighted, scale));
    alignas(64) float factors[lanes];
    _mm512_store_ps(factors, factor);
    for (uint32_t r = 0; r < block.count; ++r) {
        const __mmask16 kept = (usable >> r & 1) != 0 ? 0xffff : 0;
        int16_t *out = block.page.scratch.weights + size_t{block.first + r} * page_positions;
        __m512 w[page_tiles];
        load_weights(w, block, r, scales);
        LLM_UNROLL
        for (uint32_t t = 0; t < page_tiles; ++t) {
            const __m512i u = _mm512_maskz_cvtps_epi32(kept, _mm512_mul_ps(w[t], _mm512_set1_ps(factors[r])));
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(out + t * tile_positions), _mm512_cvtepi32_epi16(u));
        }
    }
}

void make_integer_weights(const Page &page, const float *scales) {
    for (uint32_t row = page.rows.first; row < page.rows.last; row += lanes)
        make_integer_weights(RowBlock(page, row), scales);
}

void merge_weighted(float *weighted_a, float factor_a, const float *weighted_b, float factor_b, uint32_t head_length) {
    for (uint32_t d = 0; d < head_length; d += 16) {
        const __mmask16 mask = first_lanes(head_length - d);
        const __m512 a = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, weighted_a + d), _mm512_set1_ps(factor_a));
        const __m512 b = _mm512_maskz_loadu_ps(mask, weighted_b + d);
        _mm512_mask_storeu_ps(weighted_a + d, mask, _mm512_fmadd_ps(b, _mm512_set1_ps(factor_b), a));
    }
}

}  // namespace

void fill_attention(KernelTable &table) { fill_attention_slots(table); }

}  // namespace llm::avx512
