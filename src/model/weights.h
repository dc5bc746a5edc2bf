// The tensors of a model: declared while its architecture is built, then loaded together.
#pragma once

#include "base/arena.h"
#include "base/memory_lock.h"
#include "base/thread_team.h"
#include "gguf/gguf_file.h"
#include "io/byte_source.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// A matrix [rows][columns] in its compressed form. Packed: groups of 16 rows (quant/packing.h); else the file's rows.
struct Matrix {
    TensorType type;
    uint32_t rows, columns;
    bool packed;
    const uint8_t *data;  // set by WeightSet::load()
    size_t group_bytes;   // of a packed group
    size_t row_bytes;     // of a row in the file

    uint32_t group_count() const { return (rows + 15) / 16; }
};

enum class LoadMode { packed, mapped };

// The sources of a model's bytes, by GgufTensor::part.
using Sources = std::span<const std::unique_ptr<ByteSource>>;

struct LoadOptions {
    // Gets the part that is done, rising from 0 to 1, on the calling thread, between amounts of work that take some
    // milliseconds; false cancels. May be empty.
    std::function<bool(float)> progress;
    bool verify = false;  // every value must be finite
    bool lock = false;    // in memory

    // LLM_CANCELLED when progress() wants that.
    void report(float done) const;
};

class WeightSet {
public:
    WeightSet(const GgufFile &file, LoadMode mode, MemoryProvider &memory = MemoryProvider::system())
        : file_(file), mode_(mode), memory_(memory) {}
    WeightSet(const WeightSet &) = delete;
    WeightSet &operator=(const WeightSet &) = delete;

    bool has(std::string_view name) const;

    // Declares a tensor of the given shape, which must be in the file: LLM_ERROR_MODEL if it is missing or has
    // another shape, LLM_ERROR_UNSUPPORTED if its type cannot be computed with.
    const Matrix *matrix(const std::string &name, uint32_t rows, uint32_t columns);
    const float *vector(const std::string &name, uint32_t length);
    // nullptr when the file does not have it.
    const float *optional_vector(const std::string &name, uint32_t length);
    // The first row of a tensor [any number][length]; nullptr when the file does not have it.
    const float *optional_first_row(const std::string &name, uint32_t length);
    // Rows [first_row, first_row + rows) of a matrix of `all_rows` rows that holds several.
    const Matrix *matrix_part(const std::string &name, uint32_t first_row, uint32_t rows, uint32_t all_rows,
                              uint32_t columns);
    // One matrix of a tensor that stacks `count` of them.
    const Matrix *stacked_matrix(const std::string &name, uint32_t index, uint32_t count, uint32_t rows,
                                 uint32_t columns);
    // `count` vectors of that length, one behind the other.
    const float *stacked_vectors(const std::string &name, uint32_t count, uint32_t length);

    // Number of different tensors that were declared.
    size_t tensor_count() const;

    // Bytes that load() will take for the declared tensors.
    uint64_t memory_bytes() const;

    // Loads everything that was declared. The sources must outlive the set in mapped mode. LLM_CANCELLED,
    // LLM_ERROR_NO_MEMORY, LLM_ERROR_IO, and LLM_ERROR_MODEL for a value that is not finite.
    void load(Sources sources, ThreadTeam &team, const LoadOptions &options);

private:
    struct Entry {
        const GgufTensor *tensor;
        Matrix matrix;
        uint64_t offset = 0;        // of the matrix in the file
        std::vector<float> vector;  // for vectors: expanded to floats
    };
    struct Job;
    class Progress;

    const GgufTensor &find(const std::string &name) const;
    Entry &declare(const GgufTensor &tensor);
    const Matrix *declare_matrix(const std::string &name, std::initializer_list<uint64_t> shape, uint64_t first_row,
                                 uint32_t rows);
    const float *declare_vectors(const std::string &name, std::initializer_list<uint64_t> shape);
    static size_t matrix_bytes(const Entry &entry);  // packed
    uint64_t matrix_bytes() const;
    void load_vectors(Sources sources, bool verify);
    void place_matrices(Sources sources, bool lock);
    static void process(const Job &job, ThreadTeam &team, Progress &progress);

    const GgufFile &file_;
    LoadMode mode_;
    MemoryProvider &memory_;
    std::deque<Entry> entries_;      // stable addresses
    Arena arena_;                    // packed matrices
    std::vector<MemoryLock> locks_;  // of the arena or the sources' bytes
};

}  // namespace llm
