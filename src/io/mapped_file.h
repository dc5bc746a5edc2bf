// A read-only view of a file. The file must not shrink while it is mapped: touching a page that is gone ends the
// process, whoever does it.
#pragma once

#include "io/input_file.h"

#include <cstdint>
#include <span>

namespace llm {

class MappedFile {
public:
    enum class Advice { will_need, sequential, not_needed };

    // The view outlives `file`. An empty file has an empty view. Fails with LLM_ERROR_IO.
    explicit MappedFile(const InputFile &file);
    MappedFile(MappedFile &&other) noexcept;
    MappedFile &operator=(MappedFile &&other) noexcept;
    ~MappedFile();

    std::span<const uint8_t> bytes() const { return {data_, size_}; }

    // Tells the system how a range will be used. Only a hint: ranges outside are cut, failures ignored.
    void advise(uint64_t offset, uint64_t count, Advice advice) const;

private:
    static size_t granularity();  // mappings start at multiples of it
    // Sets data_ behind lead_ bytes of a new mapping.
    void map(const InputFile &file);
    void unmap() noexcept;

    const uint8_t *data_ = nullptr;
    size_t size_ = 0;
    size_t lead_ = 0;  // bytes of the mapping in front of data_
};

}  // namespace llm
