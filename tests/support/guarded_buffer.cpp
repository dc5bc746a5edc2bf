#include "support/guarded_buffer.h"

#include <algorithm>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace llm::test {

namespace {
constexpr uint8_t canary = 0xa5;
}

GuardedBuffer::GuardedBuffer(size_t bytes, size_t alignment) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t occupied = (bytes + alignment - 1) / alignment * alignment;
    const size_t accessible = (occupied + page) / page * page;  // at least one byte in front
    mapping_bytes_ = accessible + 2 * page;
    void *mapping = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<uint8_t *>(mapping);
    first_ = mapping_ + page;
    last_ = first_ + accessible;
    if (mprotect(first_, accessible, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = last_ - occupied;
    std::fill(first_, last_, canary);
}

GuardedBuffer::~GuardedBuffer() { munmap(mapping_, mapping_bytes_); }

bool GuardedBuffer::intact() const {
    const auto is_canary = [](uint8_t byte) { return byte == canary; };
    return std::all_of(first_, data_, is_canary) && std::all_of(data_ + bytes_, last_, is_canary);
}

}  // namespace llm::test
