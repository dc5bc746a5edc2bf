// Arena on top of mmap or VirtualAlloc.
#include "base/arena.h"

#include "base/error.h"

#include <cstdint>
#include <utility>

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

constexpr size_t round_up(size_t value, size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

#ifdef _WIN32

std::byte *map(size_t size) {
    return static_cast<std::byte *>(VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

void unmap(std::byte *data, size_t) noexcept { VirtualFree(data, 0, MEM_RELEASE); }

size_t mapping_size(size_t size) { return size; }

#else

void unmap(std::byte *data, size_t size) noexcept {
    if (size != 0) munmap(data, size);
}

// Maps a huge page more than is needed and gives back what lies before the first multiple of its size and after the
// end. Without MAP_NORESERVE, so that a request beyond all memory is refused here and not by the out-of-memory killer.
std::byte *map(size_t size) {
    const size_t mapped = size + Arena::huge_page_size;
    void *block = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return nullptr;
    std::byte *first = static_cast<std::byte *>(block);
    const size_t before =
        (Arena::huge_page_size - reinterpret_cast<uintptr_t>(first) % Arena::huge_page_size) % Arena::huge_page_size;
    unmap(first, before);
    unmap(first + before + size, mapped - before - size);
#ifdef MADV_HUGEPAGE
    // A wish: where it is not granted, the memory has ordinary pages.
    if (size >= Arena::huge_page_size) madvise(first + before, size, MADV_HUGEPAGE);
#endif
    return first + before;
}

// A small arena shall not take a whole huge page.
size_t mapping_size(size_t size) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return round_up(size, size < Arena::huge_page_size ? page : Arena::huge_page_size);
}

#endif

}  // namespace

Arena::Arena(size_t size, std::string_view purpose) {
    if (size == 0) return;
    // Room for rounding up and for the alignment.
    constexpr size_t most = SIZE_MAX - 2 * huge_page_size;
    const size_t mapped = size < most ? mapping_size(size) : 0;
    std::byte *data = mapped != 0 ? map(mapped) : nullptr;
    if (data == nullptr) fail(LLM_ERROR_NO_MEMORY, "cannot allocate ", size, " bytes for ", purpose);
    data_ = data;
    size_ = size;
    mapped_ = mapped;
}

Arena::~Arena() {
    if (data_ != nullptr) unmap(data_, mapped_);
}

void *Arena::take_bytes(size_t bytes) {
    const size_t left = round_up(size_, cache_line_size) - used_;
    if (bytes > left)
        fail(LLM_ERROR_INTERNAL, "an arena of ", size_, " bytes has ", left, " bytes left, ", bytes, " wanted");
    void *block = data_ + used_;
    used_ += bytes;
    return block;
}

void Arena::swap(Arena &other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(used_, other.used_);
    std::swap(mapped_, other.mapped_);
}

}  // namespace llm
