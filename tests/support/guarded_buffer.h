// Memory that ends at a page which may not be touched and starts with bytes that are checked: it catches reads past
// the end, and writes outside.
#pragma once

#include <cstddef>
#include <cstdint>

namespace llm::test {

class GuardedBuffer {
public:
    // The start is a multiple of `alignment` (a power of two, at most a page); with alignment 1 the last byte is the
    // last one that may be touched, otherwise up to alignment - 1 checked bytes follow.
    GuardedBuffer(size_t bytes, size_t alignment);
    ~GuardedBuffer();
    GuardedBuffer(const GuardedBuffer &) = delete;
    GuardedBuffer &operator=(const GuardedBuffer &) = delete;

    template <class T = uint8_t>
    T *data() const {
        return reinterpret_cast<T *>(data_);
    }
    size_t size() const { return bytes_; }

    // True when the bytes around the buffer are as they were.
    bool intact() const;

private:
    uint8_t *mapping_ = nullptr;
    size_t mapping_bytes_ = 0;
    uint8_t *first_ = nullptr;  // of the accessible pages
    uint8_t *last_ = nullptr;   // past the accessible pages
    uint8_t *data_ = nullptr;
    size_t bytes_ = 0;
};

}  // namespace llm::test
