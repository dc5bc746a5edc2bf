// The functions of kernels/approximations.h and the sums of kernel_table.h for sixteen lanes at once.
#pragma once

#include "kernels/approximations.h"
#include "kernels/avx512/simd.h"

namespace llm::avx512 {

LLM_SIMD __m512 infinity() { return _mm512_castsi512_ps(_mm512_set1_epi32(0x7f800000)); }

// polynomial(x) by Horner's rule; coefficients from the highest power to the lowest.
template <int count>
LLM_SIMD __m512 evaluate(const float (&polynomial)[count], __m512 x) {
    __m512 p = _mm512_set1_ps(polynomial[0]);
    LLM_UNROLL
    for (int i = 1; i < count; ++i) p = _mm512_fmadd_ps(p, x, _mm512_set1_ps(polynomial[i]));
    return p;
}

LLM_SIMD __m512 exp(__m512 x) {
    using namespace approximation;
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 t = _mm512_fmadd_ps(x, _mm512_set1_ps(log2_e), _mm512_set1_ps(shift));
    const __m512 n = _mm512_sub_ps(t, _mm512_set1_ps(shift));
    __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(ln2_high), x);
    r = _mm512_fnmadd_ps(n, _mm512_set1_ps(ln2_low), r);
    __m512 p = evaluate(exp_polynomial, r);
    p = _mm512_fmadd_ps(p, r, one);
    p = _mm512_fmadd_ps(p, r, one);
    const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(t), exponent_shift);
    const __m512 y = _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(p), power));
    const __mmask16 not_finite = _mm512_cmp_ps_mask(x, _mm512_set1_ps(exp_largest), _CMP_NLE_UQ);
    const __mmask16 not_zero = _mm512_cmp_ps_mask(x, _mm512_set1_ps(exp_least), _CMP_NLT_UQ);
    return _mm512_maskz_mov_ps(not_zero, _mm512_mask_add_ps(y, not_finite, x, infinity()));
}

// For lanes of the mask, +0 for the others. A NaN becomes an integer of which the shift leaves nothing.
LLM_SIMD __m512 exp_of_negative(__m512 x, __mmask16 mask) {
    using namespace approximation;
    const __m512 y = _mm512_max_ps(_mm512_set1_ps(exp2_least), _mm512_mul_ps(x, _mm512_set1_ps(log2_e)));
    const __m512i n = _mm512_cvtps_epi32(y);
    const __m512 r = _mm512_sub_ps(y, _mm512_cvtepi32_ps(n));
    const __m512 p = _mm512_fmadd_ps(evaluate(exp2_polynomial, r), r, _mm512_set1_ps(1.0f));
    const __m512i power = _mm512_slli_epi32(n, exponent_shift);
    return _mm512_castsi512_ps(_mm512_maskz_add_epi32(mask, _mm512_castps_si512(p), power));
}

LLM_SIMD float exp(float x) { return _mm512_cvtss_f32(exp(_mm512_set1_ps(x))); }

LLM_SIMD __m512 tanh(__m512 x) {
    using namespace approximation;
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 a = _mm512_abs_ps(x);
    const __m512 z = _mm512_mul_ps(a, a);
    const __m512 near = _mm512_fmadd_ps(_mm512_mul_ps(a, z), evaluate(tanh_polynomial, z), a);
    const __m512 divisor = _mm512_add_ps(exp(_mm512_add_ps(a, a)), one);
    const __m512 far = _mm512_sub_ps(one, _mm512_div_ps(_mm512_set1_ps(2.0f), divisor));
    const __mmask16 is_near = _mm512_cmp_ps_mask(a, _mm512_set1_ps(tanh_near), _CMP_LT_OQ);
    const __m512 sign = _mm512_and_ps(x, _mm512_set1_ps(-0.0f));
    return _mm512_or_ps(_mm512_mask_mov_ps(far, is_near, near), sign);
}

LLM_SIMD __m512 soft_capped(__m512 x, __m512 cap) { return _mm512_mul_ps(cap, tanh(_mm512_div_ps(x, cap))); }

LLM_SIMD __m512 silu(__m512 x) {
    const __m512 negated = _mm512_xor_ps(x, _mm512_set1_ps(-0.0f));
    return _mm512_div_ps(x, _mm512_add_ps(_mm512_set1_ps(1.0f), exp(negated)));
}

LLM_SIMD __m512 gelu(__m512 x) {
    using namespace approximation;
    const __m512 factor = _mm512_fmadd_ps(_mm512_mul_ps(x, x), _mm512_set1_ps(gelu_cubic), _mm512_set1_ps(gelu_linear));
    return _mm512_div_ps(x, _mm512_add_ps(_mm512_set1_ps(1.0f), exp(_mm512_mul_ps(x, factor))));
}

LLM_SIMD __m512 gelu_erf(__m512 x) {
    using namespace approximation;
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 a = _mm512_abs_ps(x);
    const __m512 t = _mm512_div_ps(one, _mm512_fmadd_ps(_mm512_set1_ps(gelu_erf_slope), a, one));
    const __m512 bell = exp(_mm512_mul_ps(_mm512_set1_ps(-0.5f), _mm512_mul_ps(a, a)));
    const __m512 tail = _mm512_mul_ps(_mm512_mul_ps(evaluate(gelu_erf_polynomial, t), t), bell);
    const __mmask16 is_negative = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_LT_OQ);
    return _mm512_mul_ps(x, _mm512_mask_mov_ps(_mm512_sub_ps(one, tail), is_negative, tail));
}

// Minimum and maximum give their second operand when one is NaN.
LLM_SIMD __m512 clamped_silu(__m512 gate, __m512 up) {
    using namespace approximation;
    const __m512 one = _mm512_set1_ps(1.0f);
    const __m512 limit = _mm512_set1_ps(silu_limit);
    const __m512 g = _mm512_min_ps(limit, gate);
    const __m512 u = _mm512_max_ps(_mm512_set1_ps(-silu_limit), _mm512_min_ps(limit, up));
    const __m512 scaled = _mm512_xor_ps(_mm512_mul_ps(g, _mm512_set1_ps(silu_slope)), _mm512_set1_ps(-0.0f));
    return _mm512_mul_ps(_mm512_div_ps(g, _mm512_add_ps(one, exp(scaled))), _mm512_add_ps(u, one));
}

LLM_SIMD float reduce16(__m512 lanes) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

}  // namespace llm::avx512
