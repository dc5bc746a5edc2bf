// Blocks of mmap, VirtualAlloc or the host.
#include "base/memory_provider.h"

#include "base/aligned_buffer.h"
#include "base/error.h"

#include <cstdint>
#include <cstring>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace llm {

namespace {

constexpr size_t huge_page_size = MemoryProvider::huge_page_size;

constexpr size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

#ifdef _WIN32

std::byte *map(size_t size) {
    return static_cast<std::byte *>(VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

void unmap(std::byte *data, size_t) noexcept { VirtualFree(data, 0, MEM_RELEASE); }

#else

void unmap(std::byte *data, size_t size) noexcept {
    if (size != 0) munmap(data, size);
}

// Maps a huge page more than is needed and gives back what lies before the first multiple of its size and after the
// end. Without MAP_NORESERVE, so that a request beyond all memory is refused here and not by the out-of-memory killer.
std::byte *map(size_t size) {
    const size_t mapped = size + huge_page_size;
    void *block = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    std::byte *first = static_cast<std::byte *>(block);
    const size_t before = (huge_page_size - reinterpret_cast<uintptr_t>(first) % huge_page_size) % huge_page_size;
    unmap(first, before);
    unmap(first + before + size, mapped - before - size);
#ifdef MADV_HUGEPAGE
    // A wish: where it is not granted, the memory has ordinary pages.
    if (size >= huge_page_size) madvise(first + before, size, MADV_HUGEPAGE);
#endif
    return first + before;
}

#endif

// A small block shall not take a whole huge page.
size_t alignment_of(size_t size) { return size < huge_page_size ? page_size() : huge_page_size; }

size_t mapping_size(size_t size) { return round_up(size, alignment_of(size)); }

std::byte *ask_host(const HostAllocator &host, size_t size) {
    void *block = host.allocate(host.user, size, alignment_of(size));
    if (block == nullptr) return nullptr;
    if (reinterpret_cast<uintptr_t>(block) % cache_line_size != 0) {
        host.release(host.user, block, size);
        fail(LLM_ERROR_ARGUMENT, "the allocator of the host gave a block that does not begin at a multiple of ",
             cache_line_size, " bytes");
    }
    std::memset(block, 0, size);
    return static_cast<std::byte *>(block);
}

}  // namespace

size_t page_size() {
#ifdef _WIN32
    SYSTEM_INFO info{};
    GetSystemInfo(&info);
    return info.dwPageSize;
#else
    return static_cast<size_t>(sysconf(_SC_PAGESIZE));
#endif
}

MemoryProvider &MemoryProvider::system() {
    static constinit MemoryProvider provider;
    return provider;
}

void MemoryProvider::require_room(uint64_t size, std::string_view purpose) const {
    if (limit_ == 0 || (size <= limit_ && taken_.load() <= limit_ - size)) return;
    fail(LLM_ERROR_NO_MEMORY, size, " bytes are wanted for ", purpose, " beside ", taken_.load(),
         " bytes taken before, but max_memory allows ", limit_);
}

MemoryBlock MemoryProvider::take(size_t size, std::string_view purpose) {
    require_room(size, purpose);
    // Room for rounding up and for the alignment.
    constexpr size_t most = SIZE_MAX - 2 * huge_page_size;
    std::byte *data = nullptr;
    if (size < most) data = host_.allocate ? ask_host(host_, size) : map(mapping_size(size));
    if (data == nullptr)
        fail(LLM_ERROR_NO_MEMORY, host_.allocate ? "the allocator of the host has no " : "cannot allocate ", size,
             " bytes for ", purpose);
    taken_ += size;
    return {data, size};
}

void MemoryProvider::give_back(const MemoryBlock &block) noexcept {
    taken_ -= block.size;
    if (host_.release)
        host_.release(host_.user, block.data, block.size);
    else
        unmap(block.data, mapping_size(block.size));
}

}  // namespace llm
