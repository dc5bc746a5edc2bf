// Conversions between single precision and the two 16-bit formats: IEEE half and bfloat16. The bits are those of the
// x86 and AArch64 instructions: narrowing rounds to nearest, ties to even, and a NaN stays one and becomes quiet.
#pragma once

#include <bit>
#include <cstdint>

namespace llm {

inline float half_to_float(uint16_t half) {
    constexpr uint32_t exponent_shift = (127 - 15) << 23;
    const uint32_t sign = (half & 0x8000u) << 16;
    const uint32_t magnitude = half & 0x7fffu;
    uint32_t bits;
    if (magnitude < 0x0400) {  // zero or subnormal: a multiple of 2^-24
        bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
    } else if (magnitude < 0x7c00) {
        bits = (magnitude << 13) + exponent_shift;
    } else {
        const uint32_t quiet = magnitude > 0x7c00 ? 0x00400000u : 0;
        bits = 0x7f800000u | ((magnitude & 0x03ffu) << 13) | quiet;
    }
    return std::bit_cast<float>(sign | bits);
}

inline uint16_t float_to_half(float value) {
    constexpr uint32_t exponent_shift = (127 - 15) << 23;
    constexpr uint32_t least_normal = 0x38800000;    // 2^-14
    constexpr uint32_t least_overflow = 0x477ff000;  // 65520: halfway from the largest half to the next step
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (bits >> 16) & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t half;
    if (magnitude > 0x7f800000u) {
        half = 0x7e00u | ((magnitude >> 13) & 0x03ffu);
    } else if (magnitude >= least_overflow) {
        half = 0x7c00u;
    } else if (magnitude >= least_normal) {
        const uint32_t rebased = magnitude - exponent_shift;
        half = (rebased + 0x0fffu + ((rebased >> 13) & 1u)) >> 13;
    } else {  // a last place of 0.5 is 2^-24, so the addition rounds to the subnormals' step
        half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - std::bit_cast<uint32_t>(0.5f);
    }
    return static_cast<uint16_t>(sign | half);
}

inline float bfloat_to_float(uint16_t bfloat) { return std::bit_cast<float>(static_cast<uint32_t>(bfloat) << 16); }

inline uint16_t float_to_bfloat(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x0040u);
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace llm
