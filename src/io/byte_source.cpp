// The two kinds of ByteSource.
#include "io/byte_source.h"

#include "base/error.h"
#include "io/input_file.h"
#include "io/mapped_file.h"

#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace llm {

namespace {

class FileSource final : public ByteSource {
public:
    explicit FileSource(InputFile file) : file_(std::move(file)) {}

    uint64_t size() const override { return file_.size(); }

    std::span<const uint8_t> bytes() const override {
        const std::lock_guard lock(mutex_);
        if (!mapping_) mapping_.emplace(file_);
        return mapping_->bytes();
    }

    void copy_to(uint64_t offset, std::span<uint8_t> out) const override { file_.read_at(offset, out); }

private:
    InputFile file_;
    mutable std::mutex mutex_;
    mutable std::optional<MappedFile> mapping_;  // guarded by mutex_; stays once it is made
};

class MemorySource final : public ByteSource {
public:
    explicit MemorySource(std::span<const uint8_t> bytes) : bytes_(bytes) {}

    uint64_t size() const override { return bytes_.size(); }
    std::span<const uint8_t> bytes() const override { return bytes_; }

    void copy_to(uint64_t offset, std::span<uint8_t> out) const override {
        if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
            fail(LLM_ERROR_IO, "cannot read ", out.size(), " bytes at offset ", offset, ": the memory has ",
                 bytes_.size());
        }
        if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
    }

private:
    std::span<const uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file_source(const std::string &path) {
    return std::make_unique<FileSource>(InputFile(path));
}

std::unique_ptr<ByteSource> open_descriptor_source(int descriptor, uint64_t offset, uint64_t size) {
    return std::make_unique<FileSource>(InputFile(descriptor, offset, size));
}

std::unique_ptr<ByteSource> make_memory_source(std::span<const uint8_t> bytes) {
    return std::make_unique<MemorySource>(bytes);
}

}  // namespace llm
