// What architectures ask for, checked against the file.
#include "model/weights.h"

#include "base/error.h"
#include "quant/dequantize.h"
#include "quant/packing.h"

#include <set>

namespace llm {

namespace {

std::string shape_text(std::span<const uint64_t> shape) {
    std::string out = "[";
    for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
    return out + "]";
}

void require_shape(const GgufTensor &tensor, std::initializer_list<uint64_t> wanted) {
    const std::span<const uint64_t> found(tensor.dimensions.data(), tensor.dimension_count);
    // Dimensions of 1 at the end may be written or left out.
    for (size_t i = 0; i < tensor.dimensions.size(); ++i) {
        const uint64_t want = i < wanted.size() ? wanted.begin()[i] : 1;
        if (tensor.dimensions[i] != want)
            fail(LLM_ERROR_MODEL, "tensor ", quoted(tensor.name), " has shape ", shape_text(found), ", expected ",
                 shape_text(wanted));
    }
}

void require_type(const GgufTensor &tensor, bool (*is_usable)(TensorType)) {
    if (tensor.traits && is_usable(tensor.traits->type)) return;
    fail(LLM_ERROR_UNSUPPORTED, "tensor ", quoted(tensor.name), " has type ", tensor.type_number, " (",
         tensor.traits ? tensor.traits->name : "unknown", "), which this build cannot compute with");
}

}  // namespace

bool WeightSet::has(std::string_view name) const { return file_.find_tensor(name) != nullptr; }

const GgufTensor &WeightSet::find(const std::string &name) const {
    const GgufTensor *tensor = file_.find_tensor(name);
    if (!tensor) fail(LLM_ERROR_MODEL, "tensor ", quoted(name), " is missing");
    return *tensor;
}

WeightSet::Entry &WeightSet::declare(const GgufTensor &tensor) {
    Entry &entry = entries_.emplace_back();
    entry.tensor = &tensor;
    return entry;
}

const Matrix *WeightSet::declare_matrix(const std::string &name, std::initializer_list<uint64_t> shape,
                                        uint64_t first_row, uint32_t rows) {
    const GgufTensor &tensor = find(name);
    require_type(tensor, is_packable);
    require_shape(tensor, shape);
    Entry &entry = declare(tensor);
    const TensorType type = tensor.traits->type;
    const auto columns = static_cast<uint32_t>(shape.begin()[0]);
    uint64_t all_rows = 1;
    for (size_t i = 1; i < shape.size(); ++i) all_rows *= shape.begin()[i];  // the file has that many
    entry.matrix = {.type = type,
                    .rows = rows,
                    .columns = columns,
                    .packed = mode_ == LoadMode::packed,
                    .data = nullptr,
                    .group_bytes = packed_group_bytes(type, columns),
                    .row_bytes = tensor.byte_count / all_rows};
    entry.offset = tensor.offset + first_row * entry.matrix.row_bytes;
    return &entry.matrix;
}

const Matrix *WeightSet::matrix(const std::string &name, uint32_t rows, uint32_t columns) {
    return declare_matrix(name, {columns, rows}, 0, rows);
}

const Matrix *WeightSet::matrix_part(const std::string &name, uint32_t first_row, uint32_t rows, uint32_t all_rows,
                                     uint32_t columns) {
    return declare_matrix(name, {columns, all_rows}, first_row, rows);
}

const Matrix *WeightSet::stacked_matrix(const std::string &name, uint32_t index, uint32_t count, uint32_t rows,
                                        uint32_t columns) {
    return declare_matrix(name, {columns, rows, count}, uint64_t{index} * rows, rows);
}

const float *WeightSet::declare_vectors(const std::string &name, std::initializer_list<uint64_t> shape) {
    const GgufTensor &tensor = find(name);
    require_type(tensor, is_dequantizable);
    require_shape(tensor, shape);
    size_t count = 1;
    for (const uint64_t dimension : shape) count *= dimension;  // the file has that many
    Entry &entry = declare(tensor);
    entry.vector.resize(count);
    return entry.vector.data();
}

const float *WeightSet::vector(const std::string &name, uint32_t length) { return declare_vectors(name, {length}); }

const float *WeightSet::optional_vector(const std::string &name, uint32_t length) {
    return has(name) ? vector(name, length) : nullptr;
}

const float *WeightSet::optional_first_row(const std::string &name, uint32_t length) {
    if (!has(name)) return nullptr;
    const GgufTensor &tensor = find(name);
    require_type(tensor, is_dequantizable);
    require_shape(tensor, {length, tensor.dimensions[1]});
    Entry &entry = declare(tensor);
    entry.vector.resize(length);
    return entry.vector.data();
}

const float *WeightSet::stacked_vectors(const std::string &name, uint32_t count, uint32_t length) {
    return declare_vectors(name, {length, count});
}

size_t WeightSet::tensor_count() const {
    std::set<const GgufTensor *> tensors;
    for (const Entry &entry : entries_) tensors.insert(entry.tensor);
    return tensors.size();
}

size_t WeightSet::matrix_bytes(const Entry &entry) {
    return entry.vector.empty() ? entry.matrix.group_bytes * entry.matrix.group_count() : 0;
}

uint64_t WeightSet::matrix_bytes() const {
    uint64_t bytes = 0;
    for (const Entry &entry : entries_) bytes += Arena::footprint<std::byte>(matrix_bytes(entry));
    return bytes;
}

uint64_t WeightSet::memory_bytes() const {
    uint64_t bytes = mode_ == LoadMode::packed ? matrix_bytes() : 0;
    for (const Entry &entry : entries_) bytes += entry.vector.size() * sizeof(float);
    return bytes;
}

}  // namespace llm
