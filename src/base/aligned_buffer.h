// Owned array for kernels: it starts at a cache line and is zero at first.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace llm {

inline constexpr size_t cache_line_size = 64;

namespace detail {
// count * element_size zero bytes at a multiple of cache_line_size; NULL for no bytes. Error LLM_ERROR_NO_MEMORY.
void *allocate_aligned(size_t count, size_t element_size);
void free_aligned(void *block) noexcept;
}  // namespace detail

// The storage goes on with zero bytes up to a multiple of cache_line_size, so a whole vector may be read at its end.
template <class T>
class AlignedBuffer {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= cache_line_size);

public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(size_t count)
        : data_(static_cast<T *>(detail::allocate_aligned(count, sizeof(T)))), size_(count) {}
    AlignedBuffer(AlignedBuffer &&other) noexcept
        : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
    AlignedBuffer &operator=(AlignedBuffer &&other) noexcept {
        data_ = std::move(other.data_);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T *data() { return data_.get(); }
    const T *data() const { return data_.get(); }
    T *begin() { return data(); }
    T *end() { return data() + size_; }
    const T *begin() const { return data(); }
    const T *end() const { return data() + size_; }
    T &operator[](size_t index) { return data_.get()[index]; }
    const T &operator[](size_t index) const { return data_.get()[index]; }

private:
    struct Free {
        void operator()(T *block) const noexcept { detail::free_aligned(block); }
    };
    std::unique_ptr<T, Free> data_;
    size_t size_ = 0;
};

}  // namespace llm
