// A GGUF file's metadata and tensor directory, checked and independent of the file that they were read from.
#pragma once

#include "base/error.h"
#include "gguf/tensor_type.h"
#include "gguf/value_type.h"
#include "io/byte_source.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// Where a value lies in the header that GgufFile keeps.
struct GgufKey {
    std::string name;
    ValueType type = ValueType::u8;
    ValueType element_type = ValueType::u8;  // of an array
    uint64_t count = 1;                      // elements of an array
    uint64_t offset = 0;                     // of the value as it is stored: a length or array header comes first
    // Of an array of strings or arrays: where each element starts, and where the last one ends, from `offset` on.
    std::vector<uint32_t> element_offsets;
};

struct GgufTensor {
    std::string name;
    const TensorTypeTraits *traits = nullptr;  // nullptr when the reader does not know the type
    uint32_t type_number = 0;                  // as in the file
    uint32_t dimension_count = 0;
    std::array<uint64_t, 4> dimensions = {1, 1, 1, 1};  // fastest-running first; unused ones are 1
    uint64_t element_count = 0;
    uint32_t part = 0;        // of a split model, that holds the tensor
    uint64_t offset = 0;      // of the first byte, from the start of the file
    uint64_t byte_count = 0;  // 0 when the type is unknown
};

// The elements of an array of strings; valid as long as the GgufFile.
class GgufStrings {
public:
    GgufStrings(const uint8_t *first, std::span<const uint32_t> offsets, uint32_t length_bytes)
        : first_(first), offsets_(offsets), length_bytes_(length_bytes) {}

    size_t size() const { return offsets_.size() - 1; }

    std::string_view operator[](size_t index) const {
        const uint32_t begin = offsets_[index] + length_bytes_;
        return {reinterpret_cast<const char *>(first_) + begin, offsets_[index + 1] - begin};
    }

private:
    const uint8_t *first_;
    std::span<const uint32_t> offsets_;
    uint32_t length_bytes_;  // of the length in front of each string
};

// The status for a key that is missing or unfit: LLM_ERROR_VOCABULARY for "tokenizer.*", else LLM_ERROR_MODEL.
llm_status key_status(std::string_view name);

class GgufFile {
public:
    GgufFile(GgufFile &&) = default;
    GgufFile &operator=(GgufFile &&) = default;

    // Reads and checks the header: versions 1, 2 and 3, little-endian. Tensor data is not touched, but every tensor
    // of a known type is proven to lie inside the source, aligned and apart from the others. Afterwards the source
    // is no longer needed.
    // LLM_ERROR_NOT_GGUF, LLM_ERROR_TRUNCATED, LLM_ERROR_MALFORMED, LLM_ERROR_UNSUPPORTED, LLM_ERROR_IO.
    static GgufFile parse(const ByteSource &source);
    static GgufFile parse(std::span<const uint8_t> bytes) { return parse(*make_memory_source(bytes)); }

    // One file with the keys of the first and the tensors of all, whose names must differ.
    static GgufFile join(std::vector<GgufFile> parts);

    uint32_t version() const { return version_; }
    uint64_t file_size() const { return file_size_; }  // of all parts
    uint32_t part_count() const { return part_count_; }
    uint64_t alignment() const { return alignment_; }
    uint64_t data_offset() const { return data_offset_; }  // may lie past the end when there are no tensors

    // In the file's order.
    std::span<const GgufKey> keys() const { return keys_; }
    std::span<const GgufTensor> tensors() const { return tensors_; }

    // nullptr when there is none of that name.
    const GgufKey *find_key(std::string_view name) const;
    const GgufTensor *find_tensor(std::string_view name) const;

    // The value of a key. T is uint32_t, int32_t, uint64_t, int64_t, float, bool or std::string_view (which lives as
    // long as this object). Integers may be stored in any integer type as long as the value fits, floats in either
    // width; nothing else is converted. find() gives nothing when the key is missing, get() fails then; both fail
    // when the value is of another kind or does not fit, with key_status() and a text that names the key.
    template <class T>
    std::optional<T> find(std::string_view name) const;
    template <class T>
    T get(std::string_view name) const;

    // The same for arrays of numbers or bools; T as above, without std::string_view. Arrays of floats are not
    // converted to integers, nor the reverse.
    template <class T>
    std::optional<std::vector<T>> find_array(std::string_view name) const;
    template <class T>
    std::vector<T> get_array(std::string_view name) const;

    // The same for arrays of strings; constant time for each element.
    std::optional<GgufStrings> find_strings(std::string_view name) const;
    GgufStrings get_strings(std::string_view name) const;

    // The same for a blob: an array of u8 or i8. It lives as long as this object.
    std::optional<std::span<const uint8_t>> find_bytes(std::string_view name) const;

    // For llm_metadata_get() and llm_metadata_element(), with their statuses. One index for each level of nesting;
    // deeper levels than the first are walked from their start.
    GgufValue value(std::string_view name) const;
    GgufValue element(std::string_view name, std::span<const uint64_t> indexes) const;

private:
    GgufFile() = default;

    std::span<const uint8_t> value_bytes(const GgufKey &key) const;
    GgufValue value_of(const GgufKey &key) const;

    uint32_t version_ = 0;
    uint64_t file_size_ = 0;
    uint32_t part_count_ = 1;
    uint64_t alignment_ = 0;
    uint64_t data_offset_ = 0;
    std::vector<uint8_t> header_;  // from the start of the file to the end of the metadata
    std::vector<GgufKey> keys_;
    std::vector<GgufTensor> tensors_;
    // Positions in the above in the order of the names. Searching in them is as quick as hashing for these numbers,
    // and no choice of names makes it slow.
    std::vector<uint32_t> keys_by_name_;
    std::vector<uint32_t> tensors_by_name_;
};

}  // namespace llm
