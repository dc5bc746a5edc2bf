// Arrays with guards around them (GuardedBuffer with a type), the tiers of this machine, and comparison of bits.
#pragma once

#include "kernels/kernel_table.h"
#include "support/guarded_buffer.h"
#include "support/tiers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace llm::test {

// An array that may be read and written within its bounds only: it ends before a page that is not there, or starts at
// a cache line and ends soon before one.
enum class Place { line, page_end };

template <class T>
class Guarded {
public:
    Guarded(size_t size, Place place)
        : size_(size), buffer_(size * sizeof(T), place == Place::line ? 64 : alignof(T)) {}
    Guarded(const std::vector<T> &values, Place place) : Guarded(values.size(), place) {
        std::copy(values.begin(), values.end(), data());
    }

    T *data() { return buffer_.data<T>(); }
    std::vector<T> values() { return std::vector<T>(data(), data() + size_); }
    bool intact() const { return buffer_.intact(); }

private:
    size_t size_;
    GuardedBuffer buffer_;
};

// The same bits, or both NaN.
inline bool same(float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}
template <class T>
bool same(T a, T b) {
    return a == b;
}

// Index of the first element that differs, or the size when none does.
template <class T>
size_t first_difference(const std::vector<T> &a, const std::vector<T> &b) {
    size_t i = 0;
    while (i < a.size() && same(a[i], b[i])) ++i;
    return i;
}

}  // namespace llm::test
