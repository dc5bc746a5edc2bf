// Reading, checking and packing the declared tensors.
#include "base/error.h"
#include "model/weights.h"
#include "quant/dequantize.h"
#include "quant/packing.h"

#include <algorithm>
#include <cmath>

namespace llm {

namespace {

void require_finite(std::span<const float> values, const GgufTensor &tensor, uint64_t row) {
    for (size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            fail(LLM_ERROR_MODEL, "tensor ", quoted(tensor.name), " has the value ", values[i], " in row ", row,
                 ", column ", i);
}

}  // namespace

void LoadOptions::report(float done) const {
    if (progress && !progress(done)) fail(LLM_CANCELLED, "loading was cancelled by the progress callback");
}

// Reports how many of the bytes are done.
class WeightSet::Progress {
public:
    Progress(const LoadOptions &options, uint64_t bytes) : options_(options), bytes_(bytes) { add(0); }

    void add(uint64_t bytes) {
        done_ += bytes;
        options_.report(static_cast<float>(static_cast<double>(done_) / static_cast<double>(bytes_ + 1)));
    }
    void finish() { options_.report(1.0f); }

private:
    const LoadOptions &options_;
    uint64_t bytes_, done_ = 0;
};

// What is done with one matrix, group by group; a few neighbouring groups are a chunk of work for the thread team.
struct WeightSet::Job {
    struct Room {  // of one thread
        std::vector<uint8_t> rows;
        std::vector<float> values;
    };

    const Entry *entry;
    const ByteSource *source;
    uint8_t *out;  // packed groups; nullptr: they are not wanted
    bool verify;
    std::vector<Room> *rooms;
    uint32_t first_group, end_group, groups_per_chunk;

    static void run(const void *step, Chunks chunks, uint32_t slot) {
        const Job &job = *static_cast<const Job *>(step);
        const uint32_t first = job.first_group + chunks.first * job.groups_per_chunk;
        const uint32_t end = std::min(first + chunks.count * job.groups_per_chunk, job.end_group);
        for (uint32_t group = first; group < end; ++group) job.process_group(group, (*job.rooms)[slot]);
    }

    void process_group(uint32_t group, Room &room) const {
        const Matrix &matrix = entry->matrix;
        const uint32_t row = group * rows_per_group;
        const uint32_t count = std::min(rows_per_group, matrix.rows - row);
        room.rows.resize(rows_per_group * matrix.row_bytes);
        const std::span<uint8_t> rows = std::span(room.rows).first(count * matrix.row_bytes);
        source->copy_to(entry->offset + row * matrix.row_bytes, rows);
        if (verify)
            for (uint32_t i = 0; i < count; ++i) verify_row(row + i, rows.data() + i * matrix.row_bytes, room.values);
        if (out)
            pack_group(out + group * matrix.group_bytes, matrix.type, rows.data(), matrix.row_bytes, count,
                       matrix.columns);
    }

    void verify_row(uint32_t row, const uint8_t *bytes, std::vector<float> &values) const {
        values.resize(entry->matrix.columns);
        dequantize_row(values.data(), entry->matrix.type, bytes, values.size());
        require_finite(values, *entry->tensor, (entry->offset - entry->tensor->offset) / entry->matrix.row_bytes + row);
    }
};

void WeightSet::load(Sources sources, ThreadTeam &team, const LoadOptions &options) {
    memory_.require_room(memory_bytes(), "the weights");
    const bool packs = mode_ == LoadMode::packed;
    uint64_t bytes = 0;
    for (const Entry &entry : entries_)
        if (packs || options.verify) bytes += entry.matrix.row_bytes * entry.matrix.rows;  // 0 of a vector
    Progress progress(options, bytes);
    place_matrices(sources, options.lock);
    load_vectors(sources, options.verify);
    if (packs || options.verify) {
        std::vector<Job::Room> rooms(team.size());
        for (const Entry &entry : entries_) {
            if (!entry.vector.empty()) continue;
            Job job{.entry = &entry,
                    .source = sources[entry.tensor->part].get(),
                    .out = packs ? const_cast<uint8_t *>(entry.matrix.data) : nullptr,  // in the arena
                    .verify = options.verify,
                    .rooms = &rooms,
                    .first_group = 0,
                    .end_group = 0,
                    .groups_per_chunk = 1};
            process(job, team, progress);
        }
    }
    progress.finish();
}

void WeightSet::load_vectors(Sources sources, bool verify) {
    for (Entry &entry : entries_) {
        if (entry.vector.empty()) continue;
        const GgufTensor &tensor = *entry.tensor;
        std::vector<uint8_t> bytes(tensor.byte_count);
        sources[tensor.part]->copy_to(tensor.offset, bytes);
        dequantize_row(entry.vector.data(), tensor.traits->type, bytes.data(), entry.vector.size());
        if (verify) require_finite(entry.vector, tensor, 0);
    }
}

// Says where the matrices are or will be.
void WeightSet::place_matrices(Sources sources, bool lock) {
    constexpr std::string_view purpose = "the weights";
    if (mode_ == LoadMode::packed) {
        arena_ = Arena(matrix_bytes(), purpose, memory_);
        if (lock) locks_.emplace_back(std::span<const std::byte>(arena_.data(), arena_.size()), purpose);
    } else if (lock) {
        for (const auto &source : sources) locks_.emplace_back(std::as_bytes(source->bytes()), purpose);
    }
    for (Entry &entry : entries_) {
        if (!entry.vector.empty()) continue;
        entry.matrix.data = mode_ == LoadMode::packed
                                ? reinterpret_cast<const uint8_t *>(arena_.take<std::byte>(matrix_bytes(entry)).data())
                                : sources[entry.tensor->part]->bytes().data() + entry.offset;
    }
}

void WeightSet::process(const Job &job, ThreadTeam &team, Progress &progress) {
    constexpr size_t chunk_bytes = size_t{1} << 20;
    constexpr uint32_t chunks_per_thread = 4;  // between two reports
    const Matrix &matrix = job.entry->matrix;
    Job part = job;
    part.groups_per_chunk = static_cast<uint32_t>(std::max<size_t>(1, chunk_bytes / matrix.group_bytes));
    const uint32_t groups = chunks_per_thread * team.size() * part.groups_per_chunk;
    for (uint32_t first = 0; first < matrix.group_count(); first += groups) {
        part.first_group = first;
        part.end_group = std::min(first + groups, matrix.group_count());
        const uint32_t count = part.end_group - first;
        const Phase phase{Job::run, &part, (count + part.groups_per_chunk - 1) / part.groups_per_chunk};
        team.run({&phase, 1}, nullptr);
        const uint64_t rows =
            std::min<uint64_t>(uint64_t{count} * rows_per_group, matrix.rows - first * rows_per_group);
        progress.add(rows * matrix.row_bytes);
    }
}

}  // namespace llm
