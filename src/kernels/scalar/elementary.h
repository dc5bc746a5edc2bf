// One-element forms of the functions in kernels/approximations.h and of the sums that kernel_table.h defines.
#pragma once

#include "kernels/approximations.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace llm::scalar {

inline constexpr uint32_t lane_count = 16;
inline constexpr float infinity = std::numeric_limits<float>::infinity();

inline float exp(float x) {
    using namespace approximation;
    const float t = std::fma(x, log2_e, shift);
    const float n = t - shift;
    float r = std::fma(n, -ln2_high, x);
    r = std::fma(n, -ln2_low, r);
    float p = exp_polynomial[0];
    for (int i = 1; i < 5; ++i) p = std::fma(p, r, exp_polynomial[i]);
    p = std::fma(p, r, 1.0f);
    p = std::fma(p, r, 1.0f);
    if (x < exp_least) return 0.0f;
    if (x <= exp_largest)
        return std::bit_cast<float>(std::bit_cast<uint32_t>(p) + (std::bit_cast<uint32_t>(t) << exponent_shift));
    return x + infinity;
}

inline float exp_of_negative(float x) {
    using namespace approximation;
    if (std::isnan(x)) return x;
    const float y = std::fmax(x * log2_e, exp2_least);
    const float n = std::nearbyint(y);
    const float r = y - n;
    float p = exp2_polynomial[0];
    for (int i = 1; i < 5; ++i) p = std::fma(p, r, exp2_polynomial[i]);
    p = std::fma(p, r, 1.0f);
    const uint32_t power = static_cast<uint32_t>(static_cast<int32_t>(n)) << exponent_shift;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(p) + power);
}

inline float tanh(float x) {
    using namespace approximation;
    const float a = std::fabs(x);
    if (!(a < tanh_near)) return std::copysign(1.0f - 2.0f / (exp(a + a) + 1.0f), x);
    const float z = a * a;
    float p = tanh_polynomial[0];
    for (int i = 1; i < 5; ++i) p = std::fma(p, z, tanh_polynomial[i]);
    return std::copysign(std::fma(a * z, p, a), x);
}

inline float soft_capped(float x, float cap) { return cap * tanh(x / cap); }

inline float silu(float x) { return x / (1.0f + exp(-x)); }

inline float gelu(float x) {
    using namespace approximation;
    return x / (1.0f + exp(x * std::fma(x * x, gelu_cubic, gelu_linear)));
}

inline float gelu_erf(float x) {
    using namespace approximation;
    const float a = std::fabs(x);
    const float t = 1.0f / std::fma(gelu_erf_slope, a, 1.0f);
    float p = gelu_erf_polynomial[0];
    for (int i = 1; i < 9; ++i) p = std::fma(p, t, gelu_erf_polynomial[i]);
    const float tail = p * t * exp(-0.5f * (a * a));
    return x * (x < 0.0f ? tail : 1.0f - tail);
}

inline float clamped_silu(float gate, float up) {
    using namespace approximation;
    const float g = gate > silu_limit ? silu_limit : gate;
    const float u = up > silu_limit ? silu_limit : up < -silu_limit ? -silu_limit : up;
    return g / (1.0f + exp(-(g * silu_slope))) * (u + 1.0f);
}

// Overwrites the lanes.
inline float reduce16(float (&lanes)[lane_count]) {
    for (uint32_t n = lane_count / 2; n > 0; n /= 2)
        for (uint32_t i = 0; i < n; ++i) lanes[i] = lanes[i] + lanes[i + n];
    return lanes[0];
}

}  // namespace llm::scalar
