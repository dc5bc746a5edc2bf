// Where the big blocks of a model or a context come from: huge pages of the system or the host's allocator, and how
// much they may take together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace llm {

// The host's functions; both or none. allocate() gives nullptr when there is no memory.
struct HostAllocator {
    void *(*allocate)(void *user, size_t size, size_t alignment) = nullptr;
    void (*release)(void *user, void *block, size_t size) = nullptr;
    void *user = nullptr;
};

struct MemoryBlock {
    std::byte *data = nullptr;
    size_t size = 0;
};

// Of the system's memory.
size_t page_size();

// It outlives its blocks.
class MemoryProvider {
public:
    static constexpr size_t huge_page_size = size_t{2} << 20;

    constexpr MemoryProvider() = default;  // as system()
    // A limit of 0 is none.
    MemoryProvider(uint64_t limit, const HostAllocator &host) : limit_(limit), host_(host) {}
    MemoryProvider(const MemoryProvider &) = delete;
    MemoryProvider &operator=(const MemoryProvider &) = delete;

    // Pages of the system without a limit, for everyone.
    static MemoryProvider &system();

    // `size` zero bytes, not 0, for a purpose ("the weights"). Memory of the system is used page by page as it is first
    // touched. It begins at a multiple of huge_page_size when it is at least that large and the system has such pages;
    // the host is asked for the same alignment, and for that of a page when it is smaller.
    // LLM_ERROR_NO_MEMORY with the numbers.
    MemoryBlock take(size_t size, std::string_view purpose);
    void give_back(const MemoryBlock &block) noexcept;

    // LLM_ERROR_NO_MEMORY when that many further bytes would exceed the limit.
    void require_room(uint64_t size, std::string_view purpose) const;

private:
    uint64_t limit_ = 0;
    std::atomic<uint64_t> taken_{0};
    HostAllocator host_;
};

}  // namespace llm
