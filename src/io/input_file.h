// A regular file that is open for reading at any position.
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
    InputFile(InputFile &&other) noexcept;
    InputFile &operator=(InputFile &&other) noexcept;
    ~InputFile();

    const std::string &path() const { return path_; }
    uint64_t size() const { return size_; }  // when it was opened

    // Fills `out` with the bytes from `offset` on. Fails when the file has fewer.
    void read_at(uint64_t offset, std::span<uint8_t> out) const;

private:
    friend class MappedFile;

    // One request to the system; returns how many bytes it gave, 0 at the end of the file.
    size_t read_some(uint64_t offset, std::span<uint8_t> out) const;

    std::string path_;
    intptr_t handle_ = -1;  // POSIX: file descriptor; Windows: HANDLE, whose invalid value is -1 too
    uint64_t size_ = 0;
};

}  // namespace llm
