// Entries of the tensor directory, and the proof that the tensors they describe are in the file.
#include "gguf/tensor_directory.h"

#include "base/checked_math.h"
#include "base/log.h"

#include <algorithm>

namespace llm {

namespace {

constexpr uint32_t most_dimensions = 4;

// The format's text says 64, but longer ones are in circulation.
constexpr uint64_t longest_tensor_name = 255;

std::string shape_text(const GgufTensor &tensor) {
    std::string out = "[";
    for (uint32_t i = 0; i < tensor.dimension_count; ++i) {
        out += concat(i == 0 ? "" : ", ", tensor.dimensions[i]);
    }
    return out + "]";
}

void read_dimensions(HeaderReader &reader, GgufTensor &tensor) {
    const uint64_t start = reader.offset();
    tensor.dimension_count = reader.read<uint32_t>({"number of dimensions", tensor.name});
    if (tensor.dimension_count == 0 || tensor.dimension_count > most_dimensions) {
        fail(LLM_ERROR_MALFORMED, "tensor ", quoted(tensor.name), " has ", tensor.dimension_count,
             " dimensions at offset ", start, ", 1 to ", most_dimensions, " are allowed");
    }
    std::optional<uint64_t> elements = 1;
    for (uint32_t i = 0; i < tensor.dimension_count; ++i) {
        tensor.dimensions[i] = reader.length({"dimension", tensor.name, i});
        if (tensor.dimensions[i] == 0) {
            fail(LLM_ERROR_MALFORMED, "dimension ", i, " of tensor ", quoted(tensor.name), " at offset ", start,
                 " is 0");
        }
        if (elements) elements = checked_multiply(*elements, tensor.dimensions[i]);
    }
    if (!elements || *elements > largest_file * 8) {  // no type has less than one bit for an element
        fail(LLM_ERROR_MALFORMED, "tensor ", quoted(tensor.name), " of shape ", shape_text(tensor), " at offset ",
             start, " has more elements than any file can hold");
    }
    tensor.element_count = *elements;
}

void set_type(GgufTensor &tensor, uint32_t number, uint64_t at) {
    tensor.type_number = number;
    tensor.traits = tensor_type_traits(number);
    if (!tensor.traits) return;

    const uint64_t row = tensor.dimensions[0];
    if (row % tensor.traits->block_length != 0) {
        fail(LLM_ERROR_MALFORMED, "tensor ", quoted(tensor.name), " of type ", tensor.traits->name, " at offset ", at,
             " has rows of ", row, " elements, which is no multiple of ", tensor.traits->block_length);
    }
    const auto bytes = checked_multiply(tensor.element_count / tensor.traits->block_length, tensor.traits->block_bytes);
    if (!bytes || *bytes > largest_file) {
        fail(LLM_ERROR_MALFORMED, "tensor ", quoted(tensor.name), " of type ", tensor.traits->name, " and shape ",
             shape_text(tensor), " at offset ", at, " is larger than any file");
    }
    tensor.byte_count = *bytes;
}

GgufTensor read_tensor(HeaderReader &reader) {
    GgufTensor tensor;
    tensor.name = reader.name(longest_tensor_name, {"tensor name"});
    read_dimensions(reader, tensor);
    const uint64_t type_offset = reader.offset();
    set_type(tensor, reader.read<uint32_t>({"type", tensor.name}), type_offset);
    tensor.offset = reader.read<uint64_t>({"data offset", tensor.name});
    return tensor;
}

void place(GgufTensor &tensor, uint64_t data_offset, uint64_t alignment, uint64_t file_size) {
    if (tensor.offset % alignment != 0) {
        fail(LLM_ERROR_MALFORMED, "data offset ", tensor.offset, " of tensor ", quoted(tensor.name),
             " is no multiple of the alignment ", alignment);
    }
    if (tensor.offset > largest_file) {
        fail(LLM_ERROR_MALFORMED, "data offset ", tensor.offset, " of tensor ", quoted(tensor.name),
             " is larger than any file");
    }
    tensor.offset += data_offset;  // cannot wrap: both, and byte_count, are at most largest_file
    const uint64_t end = tensor.offset + tensor.byte_count;
    if (end > file_size) {
        fail(LLM_ERROR_TRUNCATED, "the file is truncated: tensor ", quoted(tensor.name), " at offset ", tensor.offset,
             " has ", tensor.byte_count, " bytes and ends at ", end, ", the file at ", file_size);
    }
}

void check_overlap(const std::vector<GgufTensor> &tensors) {
    std::vector<const GgufTensor *> in_order;
    in_order.reserve(tensors.size());
    for (const GgufTensor &tensor : tensors) {
        if (tensor.byte_count > 0) in_order.push_back(&tensor);
    }
    std::ranges::stable_sort(in_order, {}, &GgufTensor::offset);
    const auto overlap = std::ranges::adjacent_find(in_order, [](const GgufTensor *first, const GgufTensor *second) {
        return first->offset + first->byte_count > second->offset;
    });
    if (overlap == in_order.end()) return;
    const GgufTensor &first = *overlap[0], &second = *overlap[1];
    fail(LLM_ERROR_MALFORMED, "tensor ", quoted(second.name), " at offset ", second.offset, " overlaps tensor ",
         quoted(first.name), ", which has ", first.byte_count, " bytes at offset ", first.offset);
}

// Bytes that belong to no tensor are no reason to refuse a file, but a sign of one that was put together wrongly.
void log_trailing_bytes(const std::vector<GgufTensor> &tensors, uint64_t data_offset, uint64_t alignment,
                        uint64_t file_size) {
    uint64_t end = data_offset;
    for (const GgufTensor &tensor : tensors) {
        if (!tensor.traits) return;  // it may be as long as the file
        end = std::max(end, *checked_align(tensor.offset + tensor.byte_count, alignment));
    }
    if (file_size > end) log(LLM_LOG_INFO, "the file has ", file_size - end, " bytes behind its last tensor");
}

}  // namespace

uint64_t smallest_tensor_entry(uint32_t length_size) {
    // Name of one byte, number of dimensions, one dimension, type, offset.
    return uint64_t{length_size} + 1 + sizeof(uint32_t) + length_size + sizeof(uint32_t) + sizeof(uint64_t);
}

std::vector<GgufTensor> read_tensors(HeaderReader &reader, uint64_t count) {
    std::vector<GgufTensor> tensors;
    for (uint64_t i = 0; i < count; ++i) tensors.push_back(read_tensor(reader));
    return tensors;
}

void place_tensors(std::vector<GgufTensor> &tensors, uint64_t data_offset, uint64_t alignment, uint64_t file_size) {
    for (GgufTensor &tensor : tensors) place(tensor, data_offset, alignment, file_size);
    check_overlap(tensors);
    log_trailing_bytes(tensors, data_offset, alignment, file_size);
}

}  // namespace llm
