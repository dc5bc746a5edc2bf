// The memory that the steps of a plan share, and the form of a step.
#pragma once

#include "base/thread_team.h"
#include "engine/batch.h"
#include "kernels/kernel_table.h"
#include "model/graph.h"
#include "model/kv_cache.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace llm {

// One buffer of the graph: for each token a row of `width` floats, if a step needs them, and the same row quantized if
// a quantized weight reads it.
struct BufferMemory {
    uint32_t width = 0;
    bool has_values = false, is_quantized = false;
    float *values = nullptr;
    QuantizedRows quantized = {};

    // The same memory as rows of another width.
    BufferMemory as_rows_of(uint32_t other_width) const {
        return {other_width, has_values, is_quantized, values, quantized};
    }

    float *row(uint32_t index) const { return values + size_t{index} * width; }
    QuantizedRows quantized_row(uint32_t index) const {
        return {quantized.q + size_t{index} * width, quantized.scale + size_t{index} * (width / 32),
                quantized.sum + size_t{index} * (width / 16)};
    }
};

// Cosines and sines of one rope table for each row of a batch: [row][pair].
struct RopeMemory {
    const RopeTable *table = nullptr;
    float *cosines = nullptr, *sines = nullptr;
};

// One head's elements, filled up with zeros to `padded` elements; `room` is used where that is not the same.
inline const float *padded_head(const float *head, uint32_t length, uint32_t padded, float *room) {
    if (length == padded) return head;
    std::copy_n(head, length, room);
    std::fill_n(room + length, padded - length, 0.0f);
    return room;
}

// Which experts the rows of a batch go to. "Places" are the choices of all rows in the order of their experts.
struct MixtureMemory {
    Mixture shape = {};
    uint32_t *expert = nullptr;  // [row][used]
    float *weight = nullptr;     // [row][used]
    uint32_t *place = nullptr;   // [row][used]
    uint32_t *begin = nullptr;   // [expert_count + 1]: first place of each expert
    uint32_t *active = nullptr;  // [expert_count]: experts that have places, ascending, then expert_count

    uint32_t choice_count(uint32_t rows) const { return rows * shape.used; }
};

struct Workspace {
    const KernelTable *kernels = nullptr;
    KvCache *cache = nullptr;
    uint32_t thread_count = 0;
    Batch batch;
    std::vector<BufferMemory> buffers;  // by Buffer::index
    std::vector<RopeMemory> ropes;
    MixtureMemory mixture;
    std::vector<uint8_t *> scratch;    // one for each thread, as large as the neediest step wants
    float *attention_parts = nullptr;  // of a single row: see AttendPlanStep

    const BufferMemory &operator[](Buffer buffer) const { return buffers[buffer.index]; }

    // Quantizes columns [first, first + count) of a row, if anything reads the buffer in that form.
    void quantize(Buffer buffer, uint32_t row, uint32_t first, uint32_t count) const {
        quantize((*this)[buffer], row, first, count);
    }
    void quantize(const BufferMemory &memory, uint32_t row, uint32_t first, uint32_t count) const {
        quantize(memory, row, first, count, memory.row(row) + first);
    }
    // The same with the values of these columns, which need not be in the buffer.
    void quantize(const BufferMemory &memory, uint32_t row, uint32_t first, uint32_t count, const float *values) const {
        if (!memory.is_quantized) return;
        const QuantizedRows out = memory.quantized_row(row);
        kernels->quantize(out.q + first, out.scale + first / 32, out.sum + first / 16, values, count);
    }
};

// Which rows a step computes: those of all tokens, or only those whose logits are wanted.
enum class Rows { all, outputs };

// A step that is bound to its workspace and cut into chunks that are independent of each other.
class PlanStep {
public:
    PlanStep(const Workspace &workspace, Rows rows) : workspace_(workspace), rows_(rows) {}
    virtual ~PlanStep() = default;
    PlanStep(const PlanStep &) = delete;
    PlanStep &operator=(const PlanStep &) = delete;

    // Number of chunks for the batch that the workspace holds now; 0 leaves the step out. Called before each run.
    virtual uint32_t prepare() = 0;
    // Runs neighbouring chunks: one by one, unless the step overrides it. At most most_together(), as of prepare().
    virtual void run_together(Chunks chunks, uint32_t slot) const {
        for (uint32_t i = 0; i < chunks.count; ++i) run(chunks.first + i, slot);
    }
    virtual void run(uint32_t, uint32_t) const {}
    virtual uint32_t most_together() const { return 16; }
    // Whether chunks are rows, or blocks of them, in the order of RowOrder, so that rows stay with one participant.
    virtual bool keeps_rows() const { return false; }
    // Bytes of Workspace::scratch that run() needs.
    virtual size_t scratch_bytes() const { return 0; }

protected:
    const RowSet &rows() const { return rows_ == Rows::all ? workspace_.batch.all : workspace_.batch.outputs; }
    // The row of all tokens that a row of this step stands for.
    uint32_t token_row(uint32_t row) const { return rows_ == Rows::all ? row : workspace_.batch.output_rows[row]; }

    const Workspace &workspace_;
    Rows rows_;
};

}  // namespace llm
