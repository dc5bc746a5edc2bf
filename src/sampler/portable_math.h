// exp() and log() with the same bits on every platform, which the C library does not promise.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace llm {

inline constexpr double ln2_high = 0.6931471803691238, ln2_low = 1.9082149292705877e-10;  // ln 2 in two parts

// e^x for x <= 0, to about one unit in the last place; 0 below -700. Without branches, so that loops become vectors.
inline double portable_exp(double x) {
    constexpr double log2_e = 1.4426950408889634;
    constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52: added to a number, it leaves no bits for a fraction
    const double bounded = x > -700.0 ? x : -700.0;
    const double shifted = bounded * log2_e + rounder;
    const double k = shifted - rounder;                       // the nearest integer
    const double r = (bounded - k * ln2_high) - k * ln2_low;  // |r| <= ln(2) / 2
    double sum = 1.0 / 6227020800.0;                          // Taylor series in Horner's form
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const double power = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52);  // 2^k
    return x > -700.0 ? sum * power : 0.0;
}

// Natural logarithm of a positive number, to about two units in the last place.
inline double portable_log(double x) {
    constexpr double sqrt_half = 0.7071067811865476;
    int k = 0;
    double m = std::frexp(x, &k);
    if (m < sqrt_half) m *= 2.0, --k;
    const double s = (m - 1.0) / (m + 1.0);  // ln m = 2 artanh s, |s| <= 0.172
    double sum = 0.0;
    for (int n = 21; n > 0; n -= 2) sum = sum * s * s + 1.0 / n;
    return k * ln2_high + (2.0 * s * sum + k * ln2_low);
}

}  // namespace llm
