// The parts of InputFile and MappedFile that are the same on every system.
#include "base/error.h"
#include "io/input_file.h"
#include "io/mapped_file.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace llm {

InputFile::InputFile(InputFile &&other) noexcept
    : path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, -1)),
      offset_(std::exchange(other.offset_, 0)),
      size_(std::exchange(other.size_, 0)) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
    std::swap(path_, other.path_);
    std::swap(handle_, other.handle_);
    std::swap(offset_, other.offset_);
    std::swap(size_, other.size_);
    return *this;
}

void InputFile::narrow(uint64_t offset, uint64_t size, uint64_t file_size) {
    if (offset > file_size || size > file_size - offset)
        fail(LLM_ERROR_ARGUMENT, size, " bytes at offset ", offset, " are not inside ", quoted(path_), ", which has ",
             file_size);
    offset_ = offset;
    size_ = size != 0 ? size : file_size - offset;
}

void InputFile::read_at(uint64_t offset, std::span<uint8_t> out) const {
    if (offset > size_ || out.size() > size_ - offset) {
        fail(LLM_ERROR_IO, "cannot read ", out.size(), " bytes at offset ", offset, " of ", quoted(path_),
             ": the file has ", size_);
    }
    constexpr size_t most_at_once = size_t{1} << 30;  // systems refuse 2 GiB or 4 GiB in one request
    while (!out.empty()) {
        const size_t got = read_some(offset_ + offset, out.first(std::min(out.size(), most_at_once)));
        if (got == 0) {
            fail(LLM_ERROR_IO, "cannot read ", quoted(path_), ": it shrank to less than ", offset + 1,
                 " bytes while in use");
        }
        out = out.subspan(got);
        offset += got;
    }
}

MappedFile::MappedFile(const InputFile &file) {
    if (file.size() == 0) return;  // systems refuse an empty mapping
    if (file.size() > std::numeric_limits<size_t>::max() - granularity()) {
        fail(LLM_ERROR_IO, "cannot map ", quoted(file.path()), ": ", file.size(), " bytes exceed the address space");
    }
    lead_ = static_cast<size_t>(file.offset_ % granularity());
    map(file);
    size_ = static_cast<size_t>(file.size());
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      lead_(std::exchange(other.lead_, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(lead_, other.lead_);
    return *this;
}

MappedFile::~MappedFile() { unmap(); }

}  // namespace llm
