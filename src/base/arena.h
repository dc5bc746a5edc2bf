// One large block of zero memory on huge pages, from which arrays are cut one after the other.
#pragma once

#include "base/aligned_buffer.h"
#include "base/memory_provider.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

namespace llm {

// It is given back as a whole to the provider that it comes from, which must outlive the arena.
class Arena {
public:
    Arena() = default;
    // See MemoryProvider::take(); of no bytes, nothing is taken.
    Arena(size_t size, std::string_view purpose, MemoryProvider &provider = MemoryProvider::system());
    Arena(Arena &&other) noexcept { swap(other); }
    Arena &operator=(Arena &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Arena();

    std::byte *data() const { return block_.data; }
    size_t size() const { return block_.size; }
    size_t used() const { return used_; }

    // What take<T>(count) uses up: whole cache lines. It saturates, instead of wrapping, above what any arena has.
    template <class T>
    static constexpr size_t footprint(size_t count) {
        return footprint(count, sizeof(T));
    }

    // The next `count` elements, from a multiple of cache_line_size; valid as long as the arena's memory.
    // LLM_ERROR_INTERNAL when they do not fit, because whoever made the arena has added up its size.
    template <class T>
    std::span<T> take(size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= cache_line_size);
        return {static_cast<T *>(take_bytes(footprint<T>(count))), count};
    }

private:
    static constexpr size_t footprint(size_t count, size_t element_size) {
        constexpr size_t most = ~(cache_line_size - 1);
        if (count > most / element_size) return most;
        return (count * element_size + cache_line_size - 1) / cache_line_size * cache_line_size;
    }

    void *take_bytes(size_t bytes);
    void swap(Arena &other) noexcept;

    MemoryProvider *provider_ = nullptr;
    MemoryBlock block_;
    size_t used_ = 0;
};

}  // namespace llm
