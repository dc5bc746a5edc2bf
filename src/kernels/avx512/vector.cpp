// Vector operations with AVX-512. Tails use the same code with lanes masked off.
#include "kernels/avx512/elementary.h"
#include "kernels/fill.h"

namespace llm::avx512 {

namespace {

constexpr uint32_t lane_count = 16;

// Calls operation(offset, mask) for each 16 elements of `count`; the mask has the lanes that are there.
template <class Operation>
LLM_SIMD void for_each_vector(uint32_t count, Operation operation) {
    uint32_t i = 0;
    for (; count - i >= lane_count; i += lane_count) operation(i, static_cast<__mmask16>(0xffff));
    if (i < count) operation(i, first_lanes(count - i));
}

LLM_SIMD __m512 load(const float *p, __mmask16 mask) { return _mm512_maskz_loadu_ps(mask, p); }
LLM_SIMD void store(float *p, __mmask16 mask, __m512 value) { _mm512_mask_storeu_ps(p, mask, value); }

// Blocks of 32 elements whose scales are found together.
constexpr uint32_t together = 16;

LLM_SIMD __m512i larger(__m512i a, __m512i b) { return _mm512_max_epi32(a, b); }

// Lane i is the largest lane of v[i]. Each step halves the vectors and, in what is left of them, the lanes.
LLM_SIMD __m512i largest_lanes(__m512i (&v)[together]) {
    LLM_UNROLL
    for (int i = 0; i < 8; ++i)
        v[i] = larger(_mm512_shuffle_i32x4(v[i], v[i + 8], 0x44), _mm512_shuffle_i32x4(v[i], v[i + 8], 0xee));
    LLM_UNROLL
    for (int i = 0; i < 4; ++i)
        v[i] = larger(_mm512_shuffle_i32x4(v[i], v[i + 4], 0x88), _mm512_shuffle_i32x4(v[i], v[i + 4], 0xdd));
    LLM_UNROLL
    for (int i = 0; i < 4; i += 2)
        v[i] = larger(_mm512_unpacklo_epi32(v[i], v[i + 1]), _mm512_unpackhi_epi32(v[i], v[i + 1]));
    const __m512i mixed = larger(_mm512_unpacklo_epi64(v[0], v[2]), _mm512_unpackhi_epi64(v[0], v[2]));
    return _mm512_shuffle_i32x4(mixed, mixed, 0xd8);  // the first step put lanes 8 to 11 before 4 to 7
}

// As integers, magnitudes order like floats, and a NaN is above infinity.
LLM_SIMD __m512i magnitudes(const float *block) {
    return larger(_mm512_castps_si512(_mm512_abs_ps(_mm512_loadu_ps(block))),
                  _mm512_castps_si512(_mm512_abs_ps(_mm512_loadu_ps(block + 16))));
}

LLM_SIMD __m128i quantize_half(const float *x, __m512 factor) {
    return _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), factor)));
}

// With a factor that is not usable the block is zero.
LLM_SIMD void quantize_block(int8_t *q, int32_t *sum, const float *x, float factor, bool usable) {
    const __m512 factors = _mm512_set1_ps(factor);
    __m256i block = _mm256_setzero_si256();
    if (usable) block = _mm256_set_m128i(quantize_half(x + 16, factors), quantize_half(x, factors));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(q), block);
    const __m256i fours = _mm256_dpbusd_epi32(_mm256_setzero_si256(), _mm256_set1_epi8(1), block);
    const __m256i eights = _mm256_add_epi32(fours, _mm256_shuffle_epi32(fours, 0xb1));
    const __m256i sixteens = _mm256_add_epi32(eights, _mm256_shuffle_epi32(eights, 0x4e));
    sum[0] = _mm256_cvtsi256_si32(sixteens);
    sum[1] = _mm_cvtsi128_si32(_mm256_extracti128_si256(sixteens, 1));
}

void quantize_one(int8_t *q, float *scale, int32_t *sum, const float *x) {
    const float a = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(_mm512_reduce_max_epi32(magnitudes(x)))));
    const float factor = 127.0f / a;
    const bool usable = factor > 0.0f && factor < __builtin_inff();
    *scale = usable ? a / 127.0f : a;
    quantize_block(q, sum, x, factor, usable);
}

// Sixteen elements as integers.
LLM_SIMD __m512i to_integers(const float *x, float factor) {
    return _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(x), _mm512_set1_ps(factor)));
}

// Two blocks. Of the result, the lanes i, i + 4, i + 8 and i + 12 add up to the sum of half block i.
LLM_SIMD __m512i quantize_pair(int8_t *q, const float *x, float first_factor, float second_factor) {
    const __m512i first = _mm512_packs_epi32(to_integers(x, first_factor), to_integers(x + 16, first_factor));
    const __m512i second = _mm512_packs_epi32(to_integers(x + 32, second_factor), to_integers(x + 48, second_factor));
    const __m512i bytes = _mm512_packs_epi16(first, second);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(q, _mm512_permutexvar_epi32(order, bytes));
    return _mm512_dpbusd_epi32(_mm512_setzero_si512(), _mm512_set1_epi8(1), bytes);
}

// Quarter i is the sum of the quarters of v[i].
LLM_SIMD __m512i sum_of_quarters(const __m512i (&v)[4]) {
    const auto halves = [](__m512i a, __m512i b) {
        return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x44), _mm512_shuffle_i32x4(a, b, 0xee));
    };
    const __m512i a = halves(v[0], v[1]), b = halves(v[2], v[3]);
    return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
}

// The sum of the quarters of v.
LLM_SIMD __m128i sum_across_quarters(__m512i v) {
    const __m256i halves = _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
}

// `count` blocks with usable factors, at most sixteen.
LLM_SIMD void quantize_usable(int8_t *q, int32_t *sum, const float *x, const float *factors, uint32_t count) {
    uint32_t block = 0;
    for (; block + 8 <= count; block += 8) {
        __m512i sums[4];
        LLM_UNROLL
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t at = block + 2 * i;
            sums[i] = quantize_pair(q + at * 32, x + at * 32, factors[at], factors[at + 1]);
        }
        _mm512_storeu_si512(sum + block * 2, sum_of_quarters(sums));
    }
    for (; block + 2 <= count; block += 2) {
        const __m512i sums = quantize_pair(q + block * 32, x + block * 32, factors[block], factors[block + 1]);
        _mm_storeu_si128(reinterpret_cast<__m128i *>(sum + block * 2), sum_across_quarters(sums));
    }
    if (block < count) quantize_block(q + block * 32, sum + block * 2, x + block * 32, factors[block], true);
}

// `count` blocks, at most sixteen: one search for their magnitudes, one division.
LLM_SIMD void quantize_some(int8_t *q, float *scale, int32_t *sum, const float *x, uint32_t count) {
    __m512i magnitude[together];
    for (uint32_t i = 0; i < count; ++i) magnitude[i] = magnitudes(x + i * 32);
    for (uint32_t i = count; i < together; ++i) magnitude[i] = _mm512_setzero_si512();
    const __m512 largest = _mm512_castsi512_ps(largest_lanes(magnitude));
    const __m512 factor = _mm512_div_ps(_mm512_set1_ps(127.0f), largest);
    const __mmask16 usable = _mm512_cmp_ps_mask(factor, _mm512_setzero_ps(), _CMP_GT_OQ) &
                             _mm512_cmp_ps_mask(factor, _mm512_set1_ps(__builtin_inff()), _CMP_LT_OQ);
    _mm512_mask_storeu_ps(scale, first_lanes(count),
                          _mm512_mask_div_ps(largest, usable, largest, _mm512_set1_ps(127.0f)));
    alignas(64) float factors[together];
    _mm512_store_ps(factors, factor);
    if (usable == first_lanes(count)) return quantize_usable(q, sum, x, factors, count);
    for (uint32_t i = 0; i < count; ++i)
        quantize_block(q + i * 32, sum + i * 2, x + i * 32, factors[i], (usable >> i & 1) != 0);
}

void quantize(int8_t *q, float *scale, int32_t *sum, const float *x, uint32_t count) {
    const uint32_t blocks = count / 32;
    uint32_t block = 0;
    for (; block + together <= blocks; block += together)
        quantize_some(q + block * 32, scale + block, sum + block * 2, x + block * 32, together);
    if (block + 1 == blocks)
        quantize_one(q + block * 32, scale + block, sum + block * 2, x + block * 32);
    else if (block < blocks)
        quantize_some(q + block * 32, scale + block, sum + block * 2, x + block * 32, blocks - block);
}

void rms_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon) {
    __m512 lanes = _mm512_setzero_ps();
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        const __m512 v = load(x + i, mask);
        lanes = _mm512_fmadd_ps(v, v, lanes);
    });
    const float mean = reduce16(lanes) / static_cast<float>(count);
    const __m512 factor = _mm512_set1_ps(1.0f / __builtin_sqrtf(mean + epsilon));
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        store(out + i, mask, _mm512_mul_ps(_mm512_mul_ps(load(x + i, mask), factor), load(weight + i, mask)));
    });
}

void layer_norm(float *out, const float *x, const float *weight, const float *bias, uint32_t count, float epsilon) {
    __m512 sums = _mm512_setzero_ps();
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) { sums = _mm512_add_ps(sums, load(x + i, mask)); });
    const __m512 mean = _mm512_set1_ps(reduce16(sums) / static_cast<float>(count));
    __m512 squares = _mm512_setzero_ps();
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        const __m512 d = _mm512_maskz_sub_ps(mask, load(x + i, mask), mean);
        squares = _mm512_fmadd_ps(d, d, squares);
    });
    const float variance = reduce16(squares) / static_cast<float>(count);
    const __m512 factor = _mm512_set1_ps(1.0f / __builtin_sqrtf(variance + epsilon));
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        const __m512 normed = _mm512_mul_ps(_mm512_sub_ps(load(x + i, mask), mean), factor);
        const __m512 w = load(weight + i, mask);
        store(out + i, mask, bias ? _mm512_fmadd_ps(normed, w, load(bias + i, mask)) : _mm512_mul_ps(normed, w));
    });
}

void add(float *out, const float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        store(out + i, mask, _mm512_add_ps(load(out + i, mask), load(x + i, mask)));
    });
}

void silu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        store(gate + i, mask, _mm512_mul_ps(silu(load(gate + i, mask)), load(up + i, mask)));
    });
}

void gelu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        store(gate + i, mask, _mm512_mul_ps(gelu(load(gate + i, mask)), load(up + i, mask)));
    });
}

void clamped_silu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        store(gate + i, mask, clamped_silu(load(gate + i, mask), load(up + i, mask)));
    });
}

void silu_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) { store(x + i, mask, silu(load(x + i, mask))); });
}

void gelu_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) { store(x + i, mask, gelu(load(x + i, mask))); });
}

void gelu_erf_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) { store(x + i, mask, gelu_erf(load(x + i, mask))); });
}

void softcap(float *x, uint32_t count, float cap) {
    const __m512 caps = _mm512_set1_ps(cap);
    for_each_vector(count,
                    [&](uint32_t i, __mmask16 mask) { store(x + i, mask, soft_capped(load(x + i, mask), caps)); });
}

// Rotates the pairs (a, b) of sixteen lanes.
LLM_SIMD void rotate(__m512 &a, __m512 &b, __m512 cosine, __m512 sine) {
    const __m512 old_a = a;
    a = _mm512_fmsub_ps(old_a, cosine, _mm512_mul_ps(b, sine));
    b = _mm512_fmadd_ps(old_a, sine, _mm512_mul_ps(b, cosine));
}

void rope_adjacent(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    for_each_vector(pair_count, [&](uint32_t i, __mmask16 mask) {
        const uint32_t elements = pair_count - i < lane_count ? 2 * (pair_count - i) : 2 * lane_count;
        const __mmask16 first_mask = first_lanes(elements);
        const __mmask16 second_mask = first_lanes(elements < lane_count ? 0 : elements - lane_count);
        float *first = x + 2 * i;
        const __m512 v = load(first, first_mask);
        const __m512 w = load(first + lane_count, second_mask);
        __m512 a = _mm512_permutex2var_ps(v, even, w);
        __m512 b = _mm512_permutex2var_ps(v, odd, w);
        rotate(a, b, load(cosines + i, mask), load(sines + i, mask));
        store(first, first_mask, _mm512_permutex2var_ps(a, low, b));
        store(first + lane_count, second_mask, _mm512_permutex2var_ps(a, high, b));
    });
}

void rope_halves(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    for_each_vector(pair_count, [&](uint32_t i, __mmask16 mask) {
        __m512 a = load(x + i, mask);
        __m512 b = load(x + pair_count + i, mask);
        rotate(a, b, load(cosines + i, mask), load(sines + i, mask));
        store(x + i, mask, a);
        store(x + pair_count + i, mask, b);
    });
}

uint32_t arg_max(const float *x, uint32_t count) {
    __m512 largest = _mm512_set1_ps(-__builtin_inff());
    __m512i place = _mm512_set1_epi32(-1);  // as unsigned number above every index
    __m512i index = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        const __m512 v = load(x + i, mask);
        const __mmask16 larger = _mm512_mask_cmp_ps_mask(mask, v, largest, _CMP_GT_OQ);
        largest = _mm512_mask_mov_ps(largest, larger, v);
        place = _mm512_mask_mov_epi32(place, larger, index);
        index = _mm512_add_epi32(index, _mm512_set1_epi32(lane_count));
    });
    // Lanes that never saw a number are at -infinity and -1.
    const __m512 top = _mm512_set1_ps(_mm512_reduce_max_ps(largest));
    const __mmask16 is_top = _mm512_cmp_ps_mask(largest, top, _CMP_EQ_OQ);
    const uint32_t lowest = _mm512_mask_reduce_min_epu32(is_top, place);
    return lowest < count ? lowest : count;
}

float sum_exp(const float *x, uint32_t count, float maximum) {
    const __m512 maximums = _mm512_set1_ps(maximum);
    __m512 lanes = _mm512_setzero_ps();
    for_each_vector(count, [&](uint32_t i, __mmask16 mask) {
        const __m512 e = exp(_mm512_sub_ps(load(x + i, mask), maximums));
        lanes = _mm512_add_ps(lanes, _mm512_maskz_mov_ps(mask, e));
    });
    return reduce16(lanes);
}

}  // namespace

void fill_vector(KernelTable &table) {
    table.quantize = quantize;
    table.rms_norm = rms_norm;
    table.layer_norm = layer_norm;
    table.add = add;
    table.silu_multiply = silu_multiply;
    table.gelu_multiply = gelu_multiply;
    table.clamped_silu_multiply = clamped_silu_multiply;
    table.silu = silu_all;
    table.gelu = gelu_all;
    table.gelu_erf = gelu_erf_all;
    table.softcap = softcap;
    table.rope_adjacent = rope_adjacent;
    table.rope_halves = rope_halves;
    table.arg_max = arg_max;
    table.sum_exp = sum_exp;
}

}  // namespace llm::avx512
