// The parts of InputFile and MappedFile that are the same on every system.
#include "base/error.h"
#include "io/input_file.h"
#include "io/mapped_file.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace llm {

InputFile::InputFile(InputFile &&other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, -1)), size_(std::exchange(other.size_, 0)) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
    std::swap(path_, other.path_);
    std::swap(handle_, other.handle_);
    std::swap(size_, other.size_);
    return *this;
}

void InputFile::read_at(uint64_t offset, std::span<uint8_t> out) const {
    if (offset > size_ || out.size() > size_ - offset) {
        fail(LLM_ERROR_IO, "cannot read ", out.size(), " bytes at offset ", offset, " of ", quoted(path_),
             ": the file has ", size_);
    }
    constexpr size_t most_at_once = size_t{1} << 30;  // systems refuse 2 GiB or 4 GiB in one request
    while (!out.empty()) {
        const size_t got = read_some(offset, out.first(std::min(out.size(), most_at_once)));
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
    if (file.size() > std::numeric_limits<size_t>::max()) {
        fail(LLM_ERROR_IO, "cannot map ", quoted(file.path()), ": ", file.size(), " bytes exceed the address space");
    }
    map(file);
    size_ = static_cast<size_t>(file.size());
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

MappedFile::~MappedFile() { unmap(); }

}  // namespace llm
