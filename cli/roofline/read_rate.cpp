// Each thread reads a part of the block of its own, from the beginning to the end and again.
#include "best_rate.h"
#include "roofline.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace roofline {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t step_bytes = std::size_t{1} << 20;  // between two looks at the clock

std::size_t rounded_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

struct Free {
    void operator()(std::byte *data) const { std::free(data); }
};
using Block = std::unique_ptr<std::byte, Free>;

Block make_block(std::size_t size) {
    size = rounded_up(size, huge_page);
    Block block(static_cast<std::byte *>(std::aligned_alloc(huge_page, size)));
    if (!block) throw std::bad_alloc();
#if defined(__linux__)
    madvise(block.get(), size, MADV_HUGEPAGE);
#endif
    return block;
}

std::size_t last_level_cache() {
    long size = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return size > 0 ? std::size_t(size) : std::size_t{32} << 20;
}

// What a thread reads of the block: its share, but no more than what defeats a cache that all threads share as well as
// one that each of them has for itself.
std::size_t bytes_of_thread(unsigned threads, std::size_t bytes) {
    const std::size_t cache = last_level_cache();
    return rounded_up(std::min(bytes / threads, std::max(8 * cache / threads, 2 * cache)) + 1, 64);
}

struct Part {
    std::byte *data = nullptr;
    std::size_t next = 0;  // where the reading goes on
};

}  // namespace

std::uint64_t read_block(const std::byte *data, std::size_t bytes, std::size_t prefetch_distance) {
    using Vector = std::uint64_t __attribute__((vector_size(16)));
    Vector lanes[4] = {};
    for (std::size_t i = 0; i < bytes; i += 64) {
        if (prefetch_distance != 0) __builtin_prefetch(data + i + prefetch_distance);
        for (int k = 0; k < 4; ++k) {
            Vector part;
            std::memcpy(&part, data + i + 16 * k, sizeof(part));
            lanes[k] += part;
        }
    }
    const Vector total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return total[0] + total[1];
}

double read_rate(unsigned threads, std::size_t bytes) {
    const std::size_t size = bytes_of_thread(threads, bytes);
    const Block block = make_block(size * threads);
    std::vector<Part> parts(threads);
    std::atomic<std::uint64_t> sink = 0;  // for the compiler, which may not leave the reading out
    return best_rate(threads, [&](unsigned thread) {
        Part &part = parts[thread];
        if (part.data == nullptr) {
            part.data = block.get() + size * thread;
            std::memset(part.data, 1, size);  // by the thread, so that the memory is near to it
        }
        std::size_t done = 0;
        while (done < step_bytes) {
            const std::size_t count = std::min(size - part.next, step_bytes);
            sink += read_block(part.data + part.next, count);
            part.next = (part.next + count) % size;
            done += count;
        }
        return double(done);
    });
}

}  // namespace roofline
