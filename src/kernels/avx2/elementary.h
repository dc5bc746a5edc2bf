// The functions of kernels/approximations.h and the sums of kernel_table.h with vectors of eight lanes.
#pragma once

#include "kernels/approximations.h"
#include "kernels/avx2/simd.h"

namespace llm::avx2 {

inline constexpr uint32_t lane_count = 8;

// Access to all lanes of a vector, or to the first ones.
struct AllLanes {
    __m256 load(const float *p) const { return _mm256_loadu_ps(p); }
    void store(float *p, __m256 value) const { _mm256_storeu_ps(p, value); }
    __m256 keep(__m256 value) const { return value; }
};
struct FirstLanes {
    __m256i mask;

    explicit FirstLanes(int32_t count)
        : mask(_mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))) {}
    __m256 load(const float *p) const { return _mm256_maskload_ps(p, mask); }
    void store(float *p, __m256 value) const { _mm256_maskstore_ps(p, mask, value); }
    __m256 keep(__m256 value) const { return _mm256_and_ps(value, _mm256_castsi256_ps(mask)); }
};

// polynomial(x) by Horner's rule; coefficients from the highest power to the lowest.
template <int count>
inline __m256 evaluate(const float (&polynomial)[count], __m256 x) {
    __m256 p = _mm256_set1_ps(polynomial[0]);
    for (int i = 1; i < count; ++i) p = _mm256_fmadd_ps(p, x, _mm256_set1_ps(polynomial[i]));
    return p;
}

inline __m256 exp(__m256 x) {
    using namespace approximation;
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 t = _mm256_fmadd_ps(x, _mm256_set1_ps(log2_e), _mm256_set1_ps(shift));
    const __m256 n = _mm256_sub_ps(t, _mm256_set1_ps(shift));
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(ln2_high), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(ln2_low), r);
    __m256 p = evaluate(exp_polynomial, r);
    p = _mm256_fmadd_ps(p, r, one);
    p = _mm256_fmadd_ps(p, r, one);
    const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(t), exponent_shift);
    const __m256 y = _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), power));
    const __m256 not_finite = _mm256_add_ps(x, _mm256_set1_ps(__builtin_inff()));
    const __m256 is_finite = _mm256_cmp_ps(x, _mm256_set1_ps(exp_largest), _CMP_LE_OQ);
    const __m256 is_zero = _mm256_cmp_ps(x, _mm256_set1_ps(exp_least), _CMP_LT_OQ);
    return _mm256_andnot_ps(is_zero, _mm256_blendv_ps(not_finite, y, is_finite));
}

// A NaN becomes an integer of which the shift leaves nothing.
inline __m256 exp_of_negative(__m256 x) {
    using namespace approximation;
    const __m256 y = _mm256_max_ps(_mm256_set1_ps(exp2_least), _mm256_mul_ps(x, _mm256_set1_ps(log2_e)));
    const __m256i n = _mm256_cvtps_epi32(y);
    const __m256 r = _mm256_sub_ps(y, _mm256_cvtepi32_ps(n));
    const __m256 p = _mm256_fmadd_ps(evaluate(exp2_polynomial, r), r, _mm256_set1_ps(1.0f));
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(n, exponent_shift)));
}

inline float exp(float x) { return _mm256_cvtss_f32(exp(_mm256_set1_ps(x))); }

inline __m256 tanh(__m256 x) {
    using namespace approximation;
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 sign_bit = _mm256_set1_ps(-0.0f);
    const __m256 a = _mm256_andnot_ps(sign_bit, x);
    const __m256 z = _mm256_mul_ps(a, a);
    const __m256 near = _mm256_fmadd_ps(_mm256_mul_ps(a, z), evaluate(tanh_polynomial, z), a);
    const __m256 divisor = _mm256_add_ps(exp(_mm256_add_ps(a, a)), one);
    const __m256 far = _mm256_sub_ps(one, _mm256_div_ps(_mm256_set1_ps(2.0f), divisor));
    const __m256 is_near = _mm256_cmp_ps(a, _mm256_set1_ps(tanh_near), _CMP_LT_OQ);
    return _mm256_or_ps(_mm256_blendv_ps(far, near, is_near), _mm256_and_ps(sign_bit, x));
}

inline __m256 soft_capped(__m256 x, __m256 cap) { return _mm256_mul_ps(cap, tanh(_mm256_div_ps(x, cap))); }

inline __m256 silu(__m256 x) {
    const __m256 negated = _mm256_xor_ps(x, _mm256_set1_ps(-0.0f));
    return _mm256_div_ps(x, _mm256_add_ps(_mm256_set1_ps(1.0f), exp(negated)));
}

inline __m256 gelu(__m256 x) {
    using namespace approximation;
    const __m256 factor = _mm256_fmadd_ps(_mm256_mul_ps(x, x), _mm256_set1_ps(gelu_cubic), _mm256_set1_ps(gelu_linear));
    return _mm256_div_ps(x, _mm256_add_ps(_mm256_set1_ps(1.0f), exp(_mm256_mul_ps(x, factor))));
}

inline __m256 gelu_erf(__m256 x) {
    using namespace approximation;
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 a = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    const __m256 t = _mm256_div_ps(one, _mm256_fmadd_ps(_mm256_set1_ps(gelu_erf_slope), a, one));
    const __m256 bell = exp(_mm256_mul_ps(_mm256_set1_ps(-0.5f), _mm256_mul_ps(a, a)));
    const __m256 tail = _mm256_mul_ps(_mm256_mul_ps(evaluate(gelu_erf_polynomial, t), t), bell);
    const __m256 is_negative = _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_mul_ps(x, _mm256_blendv_ps(_mm256_sub_ps(one, tail), tail, is_negative));
}

// Minimum and maximum give their second operand when one is NaN.
inline __m256 clamped_silu(__m256 gate, __m256 up) {
    using namespace approximation;
    const __m256 one = _mm256_set1_ps(1.0f);
    const __m256 limit = _mm256_set1_ps(silu_limit);
    const __m256 g = _mm256_min_ps(limit, gate);
    const __m256 u = _mm256_max_ps(_mm256_set1_ps(-silu_limit), _mm256_min_ps(limit, up));
    const __m256 scaled = _mm256_xor_ps(_mm256_mul_ps(g, _mm256_set1_ps(silu_slope)), _mm256_set1_ps(-0.0f));
    return _mm256_mul_ps(_mm256_div_ps(g, _mm256_add_ps(one, exp(scaled))), _mm256_add_ps(u, one));
}

// The sum of sixteen lanes, of which `low` are the first eight.
inline float reduce16(__m256 low, __m256 high) {
    const __m256 eight = _mm256_add_ps(low, high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// No lane may be NaN.
inline float largest_lane(__m256 lanes) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

}  // namespace llm::avx2
