// A regular file, or a part of one, that is open for reading at any position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace llm {

// Every failure is LLM_ERROR_IO with the path and the system's reason. Reading is safe from several threads at once.
class InputFile {
public:
    // `path` is UTF-8. Refuses whatever is not a regular file: directories, pipes, devices.
    explicit InputFile(const std::string &path);
    // `size` bytes from `offset` on of a file that the caller has open (on Windows: a descriptor of the C runtime), 0
    // for all up to its end. The descriptor stays the caller's and may be closed afterwards; its position does not
    // change. LLM_ERROR_ARGUMENT when the range is not inside the file.
    InputFile(int descriptor, uint64_t offset, uint64_t size);
    InputFile(InputFile &&other) noexcept;
    InputFile &operator=(InputFile &&other) noexcept;
    ~InputFile();

    const std::string &path() const { return path_; }  // for messages
    uint64_t size() const { return size_; }            // when it was opened

    // Fills `out` with the bytes from `offset` on. Fails when the file has fewer.
    void read_at(uint64_t offset, std::span<uint8_t> out) const;

private:
    friend class MappedFile;

    InputFile() = default;  // the others begin with it, so that what they have opened is closed when they fail

    // Of the handle, which is set; refuses whatever is not a regular file.
    uint64_t examine() const;
    // Makes the range that of the file, of `file_size` bytes.
    void narrow(uint64_t offset, uint64_t size, uint64_t file_size);

    // One request to the system, `position` in the whole file; returns how many bytes it gave, 0 at the end of the
    // file.
    size_t read_some(uint64_t position, std::span<uint8_t> out) const;

    std::string path_;
    intptr_t handle_ = -1;  // POSIX: file descriptor; Windows: HANDLE, whose invalid value is -1 too
    uint64_t offset_ = 0;   // where the range starts in the whole file
    uint64_t size_ = 0;
};

}  // namespace llm
