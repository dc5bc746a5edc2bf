#include "model/weights.h"

#include "base/error.h"
#include "quant/dequantize.h"
#include "quant/packing.h"

#include <algorithm>
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

void WeightSet::load(const ByteSource &source, ThreadTeam &team, const std::function<bool(float)> &progress) {
    load_vectors(source);
    if (mode_ == LoadMode::packed) {
        pack_all(source, team, progress);
        return;
    }
    for (Entry &entry : entries_)
        if (entry.vector.empty()) entry.matrix.data = source.bytes().data() + entry.offset;
}

void WeightSet::load_vectors(const ByteSource &source) {
    for (Entry &entry : entries_) {
        if (entry.vector.empty()) continue;
        std::vector<uint8_t> row(entry.tensor->byte_count);
        source.copy_to(entry.tensor->offset, row);
        dequantize_row(entry.vector.data(), entry.tensor->traits->type, row.data(), entry.vector.size());
    }
}

// Packs a run of groups of one matrix: a chunk of work for the thread team.
struct WeightSet::PackJob {
    const ByteSource *source;
    uint64_t file_offset;
    Matrix matrix;
    uint8_t *out;
    uint32_t groups_per_chunk;
    std::vector<std::vector<uint8_t>> *staging;  // one for each thread

    static void run(const void *step, Chunks chunks, uint32_t slot) {
        const PackJob &job = *static_cast<const PackJob *>(step);
        std::vector<uint8_t> &rows = (*job.staging)[slot];
        const uint32_t first = chunks.first * job.groups_per_chunk;
        const uint32_t last = std::min(first + chunks.count * job.groups_per_chunk, job.matrix.group_count());
        for (uint32_t group = first; group < last; ++group) {
            const uint32_t row = group * rows_per_group;
            const uint32_t count = std::min(rows_per_group, job.matrix.rows - row);
            const size_t row_bytes = job.matrix.row_bytes;
            rows.resize(rows_per_group * row_bytes);
            job.source->copy_to(job.file_offset + row * row_bytes, std::span(rows).first(count * row_bytes));
            pack_group(job.out + group * job.matrix.group_bytes, job.matrix.type, rows.data(), row_bytes, count,
                       job.matrix.columns);
        }
    }
};

void WeightSet::pack_all(const ByteSource &source, ThreadTeam &team, const std::function<bool(float)> &progress) {
    constexpr size_t chunk_bytes = size_t{1} << 20;
    arena_ = Arena(matrix_bytes(), "the weights");
    std::vector<std::vector<uint8_t>> staging(team.size());
    uint64_t done = 0;
    const uint64_t all = std::max<uint64_t>(1, matrix_bytes());
    for (Entry &entry : entries_) {
        if (!entry.vector.empty()) continue;
        Matrix &matrix = entry.matrix;
        const size_t bytes = matrix_bytes(entry);
        auto *out = reinterpret_cast<uint8_t *>(arena_.take<std::byte>(bytes).data());
        matrix.data = out;
        const auto groups = static_cast<uint32_t>(std::max<size_t>(1, chunk_bytes / matrix.group_bytes));
        const PackJob job{&source, entry.offset, matrix, out, groups, &staging};
        const Phase phase{PackJob::run, &job, (matrix.group_count() + groups - 1) / groups};
        team.run({&phase, 1}, nullptr);
        done += Arena::footprint<std::byte>(bytes);
        if (!progress(static_cast<float>(static_cast<double>(done) / static_cast<double>(all))))
            fail(LLM_CANCELLED, "loading was cancelled by the progress callback");
    }
}

}  // namespace llm
