// MemoryLock by mlock or VirtualLock, whose ranges are rounded to whole pages.
#include "base/memory_lock.h"

#include "base/error.h"
#include "base/memory_provider.h"

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#endif

#include <system_error>

namespace llm {

namespace {

#ifdef _WIN32

bool lock(std::span<const std::byte> bytes) {
    return VirtualLock(const_cast<std::byte *>(bytes.data()), bytes.size()) != 0;
}

void unlock(std::span<const std::byte> bytes) noexcept {
    VirtualUnlock(const_cast<std::byte *>(bytes.data()), bytes.size());
}

std::string reason() { return std::system_category().message(static_cast<int>(GetLastError())); }

#else

std::span<const std::byte> whole_pages(std::span<const std::byte> bytes) {
    const size_t lead = reinterpret_cast<uintptr_t>(bytes.data()) % page_size();
    return {bytes.data() - lead, bytes.size() + lead};
}

bool lock(std::span<const std::byte> bytes) {
    const auto pages = whole_pages(bytes);
    return mlock(pages.data(), pages.size()) == 0;
}

void unlock(std::span<const std::byte> bytes) noexcept {
    const auto pages = whole_pages(bytes);
    munlock(pages.data(), pages.size());
}

std::string reason() {
    std::string text = std::generic_category().message(errno);
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        text += concat("; the process may lock ", limit.rlim_cur, " bytes (ulimit -l)");
    return text;
}

#endif

}  // namespace

MemoryLock::MemoryLock(std::span<const std::byte> bytes, std::string_view purpose) {
    if (bytes.empty()) return;
    if (!lock(bytes))
        fail(LLM_ERROR_NO_MEMORY, "cannot lock ", bytes.size(), " bytes of ", purpose, " in memory: ", reason());
    bytes_ = bytes;
}

MemoryLock::~MemoryLock() {
    if (!bytes_.empty()) unlock(bytes_);
}

}  // namespace llm
