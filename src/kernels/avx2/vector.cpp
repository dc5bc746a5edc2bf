// Vector operations with AVX2. Tails use the same code with masked loads and stores.
#include "kernels/avx2/elementary.h"
#include "kernels/fill.h"

namespace llm::avx2 {

namespace {

// Calls operation(offset, lanes) for each eight elements of `count`.
template <class Operation>
inline void for_each_vector(uint32_t count, Operation operation) {
    uint32_t i = 0;
    for (; count - i >= lane_count; i += lane_count) operation(i, AllLanes());
    if (i < count) operation(i, FirstLanes(static_cast<int32_t>(count - i)));
}

// Calls operation(offset, lanes of the first eight, lanes of the second eight) for each sixteen elements of `count`.
template <class Operation>
inline void for_each_sixteen(uint32_t count, Operation operation) {
    uint32_t i = 0;
    for (; count - i >= 2 * lane_count; i += 2 * lane_count) operation(i, AllLanes(), AllLanes());
    const auto left = static_cast<int32_t>(count - i);
    if (left > 0) operation(i, FirstLanes(left), FirstLanes(left - 8));
}

inline __m256i magnitude_bits(__m256 x) { return _mm256_castps_si256(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), x)); }

inline int32_t largest_integer(__m256i lanes) {
    const __m128i four = _mm_max_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    const __m128i two = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_max_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

inline int32_t sum_of_integers(__m256i lanes) {
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
}

inline void quantize_block(int8_t *q, float *scale, int32_t *sum, const float *x) {
    __m256 v[4];
    // As integers, magnitudes order like floats, and a NaN is above infinity.
    __m256i largest = _mm256_setzero_si256();
    for (int i = 0; i < 4; ++i) {
        v[i] = _mm256_loadu_ps(x + i * 8);
        largest = _mm256_max_epi32(largest, magnitude_bits(v[i]));
    }
    const float a = _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(largest_integer(largest))));
    const float factor = 127.0f / a;
    const bool usable = factor > 0.0f && factor < __builtin_inff();
    *scale = usable ? a / 127.0f : a;
    const __m256i mask = _mm256_set1_epi32(usable ? -1 : 0);
    __m256i rounded[4];
    for (int i = 0; i < 4; ++i)
        rounded[i] = _mm256_and_si256(_mm256_cvtps_epi32(_mm256_mul_ps(v[i], _mm256_set1_ps(factor))), mask);
    sum[0] = sum_of_integers(_mm256_add_epi32(rounded[0], rounded[1]));
    sum[1] = sum_of_integers(_mm256_add_epi32(rounded[2], rounded[3]));
    // Packing works within halves of 128 bits, so it leaves groups of four elements in the order 0 2 4 6 1 3 5 7.
    const __m256i words =
        _mm256_packs_epi16(_mm256_packs_epi32(rounded[0], rounded[1]), _mm256_packs_epi32(rounded[2], rounded[3]));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(q), _mm256_permutevar8x32_epi32(words, order));
}

void quantize(int8_t *q, float *scale, int32_t *sum, const float *x, uint32_t count) {
    for (uint32_t block = 0; block < count / 32; ++block)
        quantize_block(q + block * 32, scale + block, sum + block * 2, x + block * 32);
}

void rms_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon) {
    __m256 low = _mm256_setzero_ps();
    __m256 high = _mm256_setzero_ps();
    for_each_sixteen(count, [&](uint32_t i, auto first, auto second) {
        const __m256 v = first.load(x + i);
        const __m256 w = second.load(x + i + lane_count);
        low = _mm256_fmadd_ps(v, v, low);
        high = _mm256_fmadd_ps(w, w, high);
    });
    const float mean = reduce16(low, high) / static_cast<float>(count);
    const __m256 factor = _mm256_set1_ps(1.0f / __builtin_sqrtf(mean + epsilon));
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(out + i, _mm256_mul_ps(_mm256_mul_ps(lanes.load(x + i), factor), lanes.load(weight + i)));
    });
}

void layer_norm(float *out, const float *x, const float *weight, const float *bias, uint32_t count, float epsilon) {
    __m256 low = _mm256_setzero_ps();
    __m256 high = _mm256_setzero_ps();
    for_each_sixteen(count, [&](uint32_t i, auto first, auto second) {
        low = _mm256_add_ps(low, first.load(x + i));
        high = _mm256_add_ps(high, second.load(x + i + lane_count));
    });
    const __m256 mean = _mm256_set1_ps(reduce16(low, high) / static_cast<float>(count));
    low = high = _mm256_setzero_ps();
    for_each_sixteen(count, [&](uint32_t i, auto first, auto second) {
        const __m256 v = first.keep(_mm256_sub_ps(first.load(x + i), mean));
        const __m256 w = second.keep(_mm256_sub_ps(second.load(x + i + lane_count), mean));
        low = _mm256_fmadd_ps(v, v, low);
        high = _mm256_fmadd_ps(w, w, high);
    });
    const float variance = reduce16(low, high) / static_cast<float>(count);
    const __m256 factor = _mm256_set1_ps(1.0f / __builtin_sqrtf(variance + epsilon));
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        const __m256 normed = _mm256_mul_ps(_mm256_sub_ps(lanes.load(x + i), mean), factor);
        const __m256 w = lanes.load(weight + i);
        lanes.store(out + i, bias ? _mm256_fmadd_ps(normed, w, lanes.load(bias + i)) : _mm256_mul_ps(normed, w));
    });
}

void add(float *out, const float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(out + i, _mm256_add_ps(lanes.load(out + i), lanes.load(x + i)));
    });
}

void silu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(gate + i, _mm256_mul_ps(silu(lanes.load(gate + i)), lanes.load(up + i)));
    });
}

void gelu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(gate + i, _mm256_mul_ps(gelu(lanes.load(gate + i)), lanes.load(up + i)));
    });
}

void clamped_silu_multiply(float *gate, const float *up, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(gate + i, clamped_silu(lanes.load(gate + i), lanes.load(up + i)));
    });
}

void silu_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) { lanes.store(x + i, silu(lanes.load(x + i))); });
}

void gelu_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) { lanes.store(x + i, gelu(lanes.load(x + i))); });
}

void gelu_erf_all(float *x, uint32_t count) {
    for_each_vector(count, [&](uint32_t i, auto lanes) { lanes.store(x + i, gelu_erf(lanes.load(x + i))); });
}

void softcap(float *x, uint32_t count, float cap) {
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        lanes.store(x + i, soft_capped(lanes.load(x + i), _mm256_set1_ps(cap)));
    });
}

// Rotates the pairs (a, b) of eight lanes.
inline void rotate(__m256 &a, __m256 &b, __m256 cosine, __m256 sine) {
    const __m256 old_a = a;
    a = _mm256_fmsub_ps(old_a, cosine, _mm256_mul_ps(b, sine));
    b = _mm256_fmadd_ps(old_a, sine, _mm256_mul_ps(b, cosine));
}

// Brings eight elements into the order 0 1 4 5 2 3 6 7, in which shuffles within 128 bits take pairs apart.
inline __m256 in_shuffle_order(__m256 x) { return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xd8)); }

void rope_adjacent(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    const auto rotate_eight = [&](uint32_t i, auto pairs, auto first, auto second) {
        const __m256 v = first.load(x + 2 * i);
        const __m256 w = second.load(x + 2 * i + lane_count);
        __m256 a = _mm256_shuffle_ps(v, w, 0x88);
        __m256 b = _mm256_shuffle_ps(v, w, 0xdd);
        rotate(a, b, in_shuffle_order(pairs.load(cosines + i)), in_shuffle_order(pairs.load(sines + i)));
        first.store(x + 2 * i, _mm256_unpacklo_ps(a, b));
        second.store(x + 2 * i + lane_count, _mm256_unpackhi_ps(a, b));
    };
    uint32_t i = 0;
    for (; pair_count - i >= lane_count; i += lane_count) rotate_eight(i, AllLanes(), AllLanes(), AllLanes());
    const auto left = static_cast<int32_t>(pair_count - i);
    if (left > 0) rotate_eight(i, FirstLanes(left), FirstLanes(2 * left), FirstLanes(2 * left - 8));
}

void rope_halves(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    for_each_vector(pair_count, [&](uint32_t i, auto lanes) {
        __m256 a = lanes.load(x + i);
        __m256 b = lanes.load(x + pair_count + i);
        rotate(a, b, lanes.load(cosines + i), lanes.load(sines + i));
        lanes.store(x + i, a);
        lanes.store(x + pair_count + i, b);
    });
}

uint32_t arg_max(const float *x, uint32_t count) {
    __m256 largest = _mm256_set1_ps(-__builtin_inff());
    __m256i place = _mm256_set1_epi32(-1);  // as unsigned number above every index
    __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for_each_vector(count, [&](uint32_t i, auto lanes) {
        const __m256 v = lanes.load(x + i);
        const __m256 larger = lanes.keep(_mm256_cmp_ps(v, largest, _CMP_GT_OQ));
        largest = _mm256_blendv_ps(largest, v, larger);
        place = _mm256_blendv_epi8(place, index, _mm256_castps_si256(larger));
        index = _mm256_add_epi32(index, _mm256_set1_epi32(lane_count));
    });
    // Lanes that never saw a number are at -infinity and -1.
    const __m256 is_top = _mm256_cmp_ps(largest, _mm256_set1_ps(largest_lane(largest)), _CMP_EQ_OQ);
    const __m256i places = _mm256_or_si256(place, _mm256_xor_si256(_mm256_castps_si256(is_top), _mm256_set1_epi32(-1)));
    __m128i lowest = _mm_min_epu32(_mm256_castsi256_si128(places), _mm256_extracti128_si256(places, 1));
    lowest = _mm_min_epu32(lowest, _mm_shuffle_epi32(lowest, 0x4e));
    lowest = _mm_min_epu32(lowest, _mm_shuffle_epi32(lowest, 0xb1));
    const auto found = static_cast<uint32_t>(_mm_cvtsi128_si32(lowest));
    return found < count ? found : count;
}

float sum_exp(const float *x, uint32_t count, float maximum) {
    const __m256 maximums = _mm256_set1_ps(maximum);
    __m256 low = _mm256_setzero_ps();
    __m256 high = _mm256_setzero_ps();
    for_each_sixteen(count, [&](uint32_t i, auto first, auto second) {
        const __m256 v = exp(_mm256_sub_ps(first.load(x + i), maximums));
        const __m256 w = exp(_mm256_sub_ps(second.load(x + i + lane_count), maximums));
        low = _mm256_add_ps(low, first.keep(v));
        high = _mm256_add_ps(high, second.keep(w));
    });
    return reduce16(low, high);
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

}  // namespace llm::avx2
