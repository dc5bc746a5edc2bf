// InputFile and MappedFile on Windows.
#include "base/error.h"
#include "io/input_file.h"
#include "io/mapped_file.h"

#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <system_error>

namespace llm {

namespace {

[[noreturn]] void fail_system(std::string_view action, const std::string &path) {
    const auto code = static_cast<int>(::GetLastError());
    fail(LLM_ERROR_IO, "cannot ", action, " ", quoted(path), ": ", std::system_category().message(code));
}

HANDLE as_handle(intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

std::wstring widen(const std::string &path) {
    if (path.empty()) return {};
    const int bytes = static_cast<int>(std::min<size_t>(path.size(), std::numeric_limits<int>::max()));
    const int length = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, nullptr, 0);
    if (length <= 0) fail(LLM_ERROR_IO, "cannot open ", quoted(path), ": the path is not UTF-8");
    std::wstring wide(static_cast<size_t>(length), L'\0');
    ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, wide.data(), length);
    return wide;
}

}  // namespace

InputFile::InputFile(const std::string &path) : InputFile() {
    path_ = path;
    // Sharing everything lets others rename or delete the file, as on POSIX systems. Directories are refused by
    // CreateFileW itself, since FILE_FLAG_BACKUP_SEMANTICS is not given.
    const HANDLE handle =
        ::CreateFileW(widen(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                      nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) fail_system("open", path);
    handle_ = reinterpret_cast<intptr_t>(handle);
    size_ = examine();
}

InputFile::InputFile(int descriptor, uint64_t offset, uint64_t size) : InputFile() {
    path_ = concat("descriptor ", descriptor);
    const HANDLE process = ::GetCurrentProcess();
    HANDLE handle = INVALID_HANDLE_VALUE;
    if (!::DuplicateHandle(process, as_handle(::_get_osfhandle(descriptor)), process, &handle, 0, FALSE,
                           DUPLICATE_SAME_ACCESS))
        fail_system("use", path_);
    handle_ = reinterpret_cast<intptr_t>(handle);
    narrow(offset, size, examine());
}

uint64_t InputFile::examine() const {
    if (::GetFileType(as_handle(handle_)) != FILE_TYPE_DISK)
        fail(LLM_ERROR_IO, "cannot open ", quoted(path_), ": it is a pipe or device, not a file");
    LARGE_INTEGER size{};
    if (!::GetFileSizeEx(as_handle(handle_), &size)) fail_system("examine", path_);
    return static_cast<uint64_t>(size.QuadPart);
}

InputFile::~InputFile() {
    if (handle_ != -1) ::CloseHandle(as_handle(handle_));
}

size_t InputFile::read_some(uint64_t start, std::span<uint8_t> out) const {
    OVERLAPPED position{};
    position.Offset = static_cast<DWORD>(start);
    position.OffsetHigh = static_cast<DWORD>(start >> 32);
    DWORD got = 0;
    const bool done = ::ReadFile(as_handle(handle_), out.data(), static_cast<DWORD>(out.size()), &got, &position);
    if (!done && ::GetLastError() != ERROR_HANDLE_EOF) fail_system("read", path_);
    return got;
}

size_t MappedFile::granularity() {
    SYSTEM_INFO info{};
    ::GetSystemInfo(&info);
    return info.dwAllocationGranularity;
}

void MappedFile::map(const InputFile &file) {
    const HANDLE mapping = ::CreateFileMappingW(as_handle(file.handle_), nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (!mapping) fail_system("map", file.path());
    const uint64_t start = file.offset_ - lead_;
    const void *view = ::MapViewOfFile(mapping, FILE_MAP_READ, static_cast<DWORD>(start >> 32),
                                       static_cast<DWORD>(start), lead_ + static_cast<SIZE_T>(file.size()));
    const DWORD code = ::GetLastError();
    ::CloseHandle(mapping);  // the view keeps the mapping
    if (!view) {
        ::SetLastError(code);
        fail_system("map", file.path());
    }
    data_ = static_cast<const uint8_t *>(view) + lead_;
}

void MappedFile::unmap() noexcept {
    if (data_) ::UnmapViewOfFile(data_ - lead_);
}

void MappedFile::advise(uint64_t offset, uint64_t count, Advice advice) const {
    // Windows has no hint for sequential use of a view, and drops clean pages by itself.
    if (offset >= size_ || advice != Advice::will_need) return;
    WIN32_MEMORY_RANGE_ENTRY range{};
    range.VirtualAddress = const_cast<uint8_t *>(data_) + offset;
    range.NumberOfBytes = static_cast<SIZE_T>(std::min<uint64_t>(count, size_ - offset));
    ::PrefetchVirtualMemory(::GetCurrentProcess(), 1, &range, 0);
}

}  // namespace llm
