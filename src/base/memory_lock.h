// Memory that the system may not page out.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace llm {

// Of the pages that the bytes touch, as long as the object lives. The memory must be there longer.
class MemoryLock {
public:
    // LLM_ERROR_NO_MEMORY with the system's reason and limit.
    MemoryLock(std::span<const std::byte> bytes, std::string_view purpose);
    MemoryLock(MemoryLock &&other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    MemoryLock &operator=(MemoryLock &&other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~MemoryLock();

private:
    std::span<const std::byte> bytes_;
};

}  // namespace llm
