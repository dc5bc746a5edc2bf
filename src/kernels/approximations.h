// exp, tanh, silu and both forms of gelu as all tiers compute them: the constants, and in the comments every operation
// in its order. As in kernel_table.h, `fma` is the fused operation and all else is rounded to single precision after
// each step.
//
// This header is included by files that are compiled for one instruction set: it must not define functions.
//
// Errors below are the largest over all arguments, in units in the last place of the exact result (ulp);
// tests/kernels/vector_test.cpp and attention_test.cpp hold them to the bounds.
#pragma once

#include <cstdint>

namespace llm::approximation {

// exp(x), error below 0.9 ulp. With n = round(x / ln 2), exp(x) = 2^n * exp(r) where r = x - n * ln 2:
//   t = fma(x, log2_e, shift)                        the low bits of t hold n
//   n = t - shift
//   r = fma(n, -ln2_high, x)                         exact
//   r = fma(n, -ln2_low, r)
//   p = exp_polynomial[0]; p = fma(p, r, exp_polynomial[i]) for i = 1 .. 4; p = fma(p, r, 1); p = fma(p, r, 1)
//   y = the float whose bits are bits(p) + (bits(t) << 23), modulo 2^32
//   exp(x) = +0 if x < exp_least, else y if x <= exp_largest, else x + infinity (which keeps a NaN)
// Results below the least normal number are +0.
inline constexpr float log2_e = 0x1.715476p+0f;
inline constexpr float shift = 0x1.8p+23f;       // its last place is 1, and bits(shift) << 23 is 0
inline constexpr float ln2_high = 0x1.62e4p-1f;  // 15 bits, so that n * ln2_high is exact
inline constexpr float ln2_low = 0x1.7f7d1cp-20f;
inline constexpr int exponent_shift = 23;
inline constexpr float exp_least = -0x1.5d589ep+6f;   // the last float whose exponential is normal
inline constexpr float exp_largest = 0x1.62e42ep+6f;  // the last float whose exponential is finite
// (exp(r) - 1 - r) / r^2 on |r| <= ln(2) / 2, minimax in the relative error of exp; highest power first.
inline constexpr float exp_polynomial[5] = {0x1.6a2434p-10f, 0x1.1239e2p-7f, 0x1.5558f2p-5f, 0x1.555492p-3f,
                                            0x1.fffffcp-2f};

// exp_of_negative(x) is exp(x) for x <= 0 in fewer operations, for the softmax of attention. Relative error below
// (3 + 1.3 * |x|) * 2^-24 as long as the result is a normal number:
//   y = x * log2_e; if y < exp2_least, y = exp2_least
//   n = y rounded to the nearest integer, ties to even; r = y - n
//   p = exp2_polynomial[0]; p = fma(p, r, exp2_polynomial[i]) for i = 1 .. 4; p = fma(p, r, 1)
//   exp_of_negative(x) = the float whose bits are bits(p) + (n << 23); NaN if x is
inline constexpr float exp2_least = -127.0f;  // bits(1) + (-127 << 23) are those of +0
// (2^r - 1) / r on |r| <= 1 / 2, minimax in the relative error of 2^r; highest power first.
inline constexpr float exp2_polynomial[5] = {0x1.5bba14p-10f, 0x1.3cea88p-7f, 0x1.c6b752p-5f, 0x1.ebf9bcp-3f,
                                             0x1.62e42ap-1f};

// tanh(x), error below 1.6 ulp:
//   a = |x|, z = a * a
//   p = tanh_polynomial[0]; p = fma(p, z, tanh_polynomial[i]) for i = 1 .. 4
//   near = fma(a * z, p, a)
//   far = 1 - 2 / (exp(a + a) + 1)
//   tanh(x) = near if a < tanh_near, else far; with the sign of x
inline constexpr float tanh_near = 0x1.19999ap-1f;  // 0.55
// (tanh(x) - x) / x^3 in powers of x^2 on |x| <= tanh_near, minimax in the relative error of tanh; highest power first.
inline constexpr float tanh_polynomial[5] = {-0x1.9b303cp-8f, 0x1.593d06p-6f, -0x1.b9287ap-5f, 0x1.110d26p-3f,
                                             -0x1.55554ap-2f};

// silu(x) = x / (1 + exp(-x)), error below 2.4 ulp for x > -88; below that the result is between -1e-36 and 0.

// gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), which is x / (1 + exp(v)) with
//   v = x * fma(x * x, gelu_cubic, gelu_linear)
// Relative error below (4 + 3 * max(v, 0)) * 2^-24: the rounding of v weighs with its size.
inline constexpr float gelu_linear = -0x1.988454p+0f;  // -2 * sqrt(2 / pi)
inline constexpr float gelu_cubic = -0x1.2444f2p-4f;   // 0.044715 times that

// gelu_erf(x) = x * Phi(x), the normal distribution function: Phi(x) = (1 + erf(x / sqrt(2))) / 2. Phi(-a) is
// exp(-a^2 / 2) times a function that falls slowly, here a polynomial in t = 1 / (1 + gelu_erf_slope * a):
//   a = |x|, t = 1 / fma(gelu_erf_slope, a, 1)
//   p = gelu_erf_polynomial[0]; p = fma(p, t, gelu_erf_polynomial[i]) for i = 1 .. 8
//   tail = (p * t) * exp(-0.5 * (a * a))
//   gelu_erf(x) = x * tail if x < 0, else x * (1 - tail)
// Relative error below (12 + x^2) * 2^-24, as far as exp does not vanish: the rounding of a^2 weighs with its size.
inline constexpr float gelu_erf_slope = 0x1.0a3d7p-2f;  // 0.26
// Phi(-a) * exp(a^2 / 2) / t on 0 <= a <= 13.3, minimax in the relative error; highest power first.
inline constexpr float gelu_erf_polynomial[9] = {0x1.fa33d4p-6f,  -0x1.3ce892p-3f, 0x1.059928p-2f,
                                                 -0x1.3e89d4p-3f, 0x1.502f46p-3f,  0x1.96abb4p-5f,
                                                 0x1.a77daep-4f,  0x1.a5be8ep-4f,  0x1.a9028ap-4f};

// clamped_silu_multiply of kernel_table.h
inline constexpr float silu_slope = 1.702f;
inline constexpr float silu_limit = 7.0f;

}  // namespace llm::approximation
