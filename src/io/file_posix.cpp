// InputFile and MappedFile on POSIX systems.
#include "base/error.h"
#include "base/memory_provider.h"
#include "io/input_file.h"
#include "io/mapped_file.h"
#include "io/output_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace llm {

namespace {

[[noreturn]] void fail_system(std::string_view action, const std::string &path) {
    const int code = errno;
    fail(LLM_ERROR_IO, "cannot ", action, " ", quoted(path), ": ", std::generic_category().message(code));
}

int open_read_only(const std::string &path) {
    // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    int descriptor;
    do {
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

std::string_view kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a pipe";
    return "a device or socket";
}

}  // namespace

InputFile::InputFile(const std::string &path) : InputFile() {
    path_ = path;
    handle_ = open_read_only(path);
    if (handle_ < 0) fail_system("open", path_);
    size_ = examine();
}

InputFile::InputFile(int descriptor, uint64_t offset, uint64_t size) : InputFile() {
    path_ = concat("descriptor ", descriptor);
    handle_ = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (handle_ < 0) fail_system("use", path_);
    narrow(offset, size, examine());
}

uint64_t InputFile::examine() const {
    struct stat status {};
    if (::fstat(static_cast<int>(handle_), &status) != 0) fail_system("examine", path_);
    if (!S_ISREG(status.st_mode))
        fail(LLM_ERROR_IO, "cannot open ", quoted(path_), ": it is ", kind_of(status.st_mode), ", not a file");
    return static_cast<uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    if (handle_ >= 0) ::close(static_cast<int>(handle_));
}

size_t InputFile::read_some(uint64_t position, std::span<uint8_t> out) const {
    ssize_t got;
    do {
        got = ::pread(static_cast<int>(handle_), out.data(), out.size(), static_cast<off_t>(position));
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail_system("read", path_);
    return static_cast<size_t>(got);
}

void write_file(const std::string &path, std::span<const uint8_t> bytes) {
    const std::string part = path + ".part";
    int descriptor;
    do {
        descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) fail_system("create", part);
    bool done = true;
    while (done && !bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) bytes = bytes.subspan(static_cast<size_t>(written));
        done = written >= 0 || errno == EINTR;
    }
    int code = done ? 0 : errno;
    if (::close(descriptor) != 0 && code == 0) code = errno;
    if (code == 0 && std::rename(part.c_str(), path.c_str()) == 0) return;
    if (code == 0) code = errno;
    ::unlink(part.c_str());
    errno = code;
    fail_system("write", path);
}

size_t MappedFile::granularity() { return page_size(); }

void MappedFile::map(const InputFile &file) {
    void *view = ::mmap(nullptr, lead_ + static_cast<size_t>(file.size()), PROT_READ, MAP_SHARED,
                        static_cast<int>(file.handle_), static_cast<off_t>(file.offset_ - lead_));
    if (view == MAP_FAILED) fail_system("map", file.path());
    data_ = static_cast<const uint8_t *>(view) + lead_;
}

void MappedFile::unmap() noexcept {
    if (data_) ::munmap(const_cast<uint8_t *>(data_ - lead_), lead_ + size_);
}

void MappedFile::advise(uint64_t offset, uint64_t count, Advice advice) const {
    if (offset >= size_) return;
    const size_t page = granularity(), mapped = lead_ + size_;
    size_t begin = lead_ + static_cast<size_t>(offset);
    size_t end = begin + static_cast<size_t>(std::min<uint64_t>(count, size_ - offset));
    if (advice == Advice::not_needed) {
        // Only whole pages: the neighbours on the first and last page may still be in use.
        begin = (begin + page - 1) / page * page;
        if (end != mapped) end = end / page * page;
    } else {
        begin = begin / page * page;
    }
    if (begin >= end) return;

    const int number = advice == Advice::will_need    ? MADV_WILLNEED
                       : advice == Advice::sequential ? MADV_SEQUENTIAL
                                                      : MADV_DONTNEED;
    ::madvise(const_cast<uint8_t *>(data_ - lead_) + begin, end - begin, number);
}

}  // namespace llm
