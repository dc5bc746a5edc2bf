// Storage of AlignedBuffer.
#include "base/aligned_buffer.h"

#include "base/error.h"

#include <cstdint>
#include <cstring>
#include <new>

namespace llm::detail {

void *allocate_aligned(size_t count, size_t element_size) {
    if (count == 0) return nullptr;
    if (count > (SIZE_MAX - cache_line_size) / element_size)
        fail(LLM_ERROR_NO_MEMORY, "cannot allocate ", count, " elements of ", element_size, " bytes");
    const size_t wanted = count * element_size;
    const size_t padded = (wanted + cache_line_size - 1) / cache_line_size * cache_line_size;
    void *block = ::operator new(padded, std::align_val_t(cache_line_size), std::nothrow);
    if (block == nullptr) fail(LLM_ERROR_NO_MEMORY, "cannot allocate ", wanted, " bytes");
    return std::memset(block, 0, padded);
}

void free_aligned(void *block) noexcept { ::operator delete(block, std::align_val_t(cache_line_size)); }

}  // namespace llm::detail
