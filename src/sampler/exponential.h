// exp() with the same bits on every platform, which the C library does not promise.
#pragma once

#include <cmath>
#include <cstdint>

namespace llm {

// e^x for x <= 0, to about one unit in the last place; 0 below -700.
inline double portable_exp(double x) {
    constexpr double log2_e = 1.4426950408889634;
    constexpr double ln2_high = 0.6931471803691238, ln2_low = 1.9082149292705877e-10;  // ln 2 in two parts
    if (!(x > -700.0)) return 0.0;
    const double k = std::nearbyint(x * log2_e);
    const double r = (x - k * ln2_high) - k * ln2_low;  // |r| <= ln(2) / 2
    double sum = 1.0;
    for (int n = 13; n > 0; --n) sum = 1.0 + sum * r / n;  // Taylor series in Horner's form
    return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace llm
