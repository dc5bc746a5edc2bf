// Where a model's bytes come from: a file on disk, or memory of the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace llm {

class ByteSource {
public:
    virtual ~ByteSource() = default;

    virtual uint64_t size() const = 0;

    // A view of everything, valid as long as the source. For a file it is a mapping, made by the first call: see
    // MappedFile for what that asks of the file.
    virtual std::span<const uint8_t> bytes() const = 0;

    // Copies bytes from `offset` on to `out`; a file is read, never mapped. Fails with LLM_ERROR_IO when there are
    // fewer. Safe from several threads at once.
    virtual void copy_to(uint64_t offset, std::span<uint8_t> out) const = 0;
};

// Opens a file; LLM_ERROR_IO.
std::unique_ptr<ByteSource> open_file_source(const std::string &path);

// A part of a file that the caller has open; see InputFile.
std::unique_ptr<ByteSource> open_descriptor_source(int descriptor, uint64_t offset, uint64_t size);

// The bytes are borrowed.
std::unique_ptr<ByteSource> make_memory_source(std::span<const uint8_t> bytes);

}  // namespace llm
