// Cutting arrays from a block.
#include "base/arena.h"

#include "base/error.h"

#include <utility>

namespace llm {

Arena::Arena(size_t size, std::string_view purpose, MemoryProvider &provider) : provider_(&provider) {
    if (size != 0) block_ = provider.take(size, purpose);
}

Arena::~Arena() {
    if (block_.data != nullptr) provider_->give_back(block_);
}

void *Arena::take_bytes(size_t bytes) {
    const size_t left = (block_.size + cache_line_size - 1) / cache_line_size * cache_line_size - used_;
    if (bytes > left)
        fail(LLM_ERROR_INTERNAL, "an arena of ", size(), " bytes has ", left, " bytes left, ", bytes, " wanted");
    void *taken = data() + used_;
    used_ += bytes;
    return taken;
}

void Arena::swap(Arena &other) noexcept {
    std::swap(provider_, other.provider_);
    std::swap(block_, other.block_);
    std::swap(used_, other.used_);
}

}  // namespace llm
