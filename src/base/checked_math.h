// Arithmetic on sizes that come from a file: it says when the result does not fit, and never wraps.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace llm {

inline std::optional<uint64_t> checked_add(uint64_t a, uint64_t b) {
    if (b > std::numeric_limits<uint64_t>::max() - a) return std::nullopt;
    return a + b;
}

inline std::optional<uint64_t> checked_multiply(uint64_t a, uint64_t b) {
    if (a != 0 && b > std::numeric_limits<uint64_t>::max() / a) return std::nullopt;
    return a * b;
}

// The smallest multiple of `alignment` (a power of two) that is not below `value`.
inline std::optional<uint64_t> checked_align(uint64_t value, uint64_t alignment) {
    const auto sum = checked_add(value, alignment - 1);
    if (!sum) return std::nullopt;
    return *sum & ~(alignment - 1);
}

}  // namespace llm
