// The steps of a plan, one class for each kind of step in a graph.
#pragma once

#include "engine/products.h"
#include "engine/workspace.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace llm {

// A step that writes a buffer in pieces also quantizes the pieces when the batch is small: that saves a phase. For more
// rows a QuantizePlanStep behind it is faster, because it quantizes whole rows.
inline bool quantizes_in_place(uint32_t row_count) { return row_count <= small_batch; }

// ---- step_rows.cpp: steps that take each row on its own: a chunk is a row ----------------------------------------

// Such steps, one behind the other, as one phase: a row goes through all of them while it is in the cache.
class RowChainPlanStep : public PlanStep {
public:
    using PlanStep::PlanStep;
    void append(std::unique_ptr<PlanStep> step) {
        steps_.push_back(std::move(step));
        needed_.reserve(steps_.size());  // so that no batch allocates
    }
    uint32_t prepare() override;
    void run(uint32_t row, uint32_t slot) const override;
    size_t scratch_bytes() const override;

private:
    std::vector<std::unique_ptr<PlanStep>> steps_;
    std::vector<const PlanStep *> needed_;  // for the current batch
};

// Angles of all rope tables for the positions of the batch.
class RopeAnglesPlanStep : public PlanStep {
public:
    using PlanStep::PlanStep;
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
};

class EmbedPlanStep : public PlanStep {
public:
    EmbedPlanStep(const Workspace &workspace, Rows rows, const EmbedStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
    size_t scratch_bytes() const override;

private:
    EmbedStep step_;
};

class RmsNormPlanStep : public PlanStep {
public:
    RmsNormPlanStep(const Workspace &workspace, Rows rows, const RmsNormStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    RmsNormStep step_;
};

class LayerNormPlanStep : public PlanStep {
public:
    LayerNormPlanStep(const Workspace &workspace, Rows rows, const LayerNormStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    LayerNormStep step_;
};

class AddPlanStep : public PlanStep {
public:
    AddPlanStep(const Workspace &workspace, Rows rows, const AddStep &step) : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    AddStep step_;
};

class RotatePlanStep : public PlanStep {
public:
    RotatePlanStep(const Workspace &workspace, Rows rows, const RotateStep &step);
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
    size_t scratch_bytes() const override;

private:
    void rotate_heads(Buffer buffer, uint32_t row, uint32_t head_count) const;
    void store(uint32_t row, uint8_t *scratch) const;

    RotateStep step_;
    const RopeMemory *rope_;  // nullptr: nothing is rotated
};

// Quantizes a buffer, unless the step before has done it already (see quantizes_in_place()).
class QuantizePlanStep : public PlanStep {
public:
    QuantizePlanStep(const Workspace &workspace, Rows rows, Buffer buffer, bool always)
        : PlanStep(workspace, rows), buffer_(buffer), always_(always) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    Buffer buffer_;
    bool always_;
};

// Moves the rows whose logits are wanted to the front, in one chunk.
class SelectOutputsPlanStep : public PlanStep {
public:
    SelectOutputsPlanStep(const Workspace &workspace, Rows rows, const SelectOutputsStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    SelectOutputsStep step_;
};

// ---- step_project.cpp: matrix products ----------------------------------------------------------------------------

// How the rows of some matrices, and the rows of a batch, are cut into chunks. Threads never share a sum.
class MatmulChunks {
public:
    explicit MatmulChunks(const std::vector<const Matrix *> &matrices);
    uint32_t prepare(uint32_t token_count, uint32_t thread_count);
    uint32_t most_together() const { return most_together_; }

    // Calls operation(matrix, block) for all that neighbouring chunks have to compute, in blocks as large as
    // block_groups() and most_tokens() allow.
    template <class Operation>
    void for_each_block(Chunks chunks, Operation operation) const {
        for (uint32_t done = 0; done < chunks.count;) {
            auto [matrix, block] = at(chunks.first + done++);
            for (; done < chunks.count; ++done) {
                const Chunk next = at(chunks.first + done);
                if (next.matrix != matrix || next.block.first_token != block.first_token) break;
                block.group_count += next.block.group_count;
            }
            const uint32_t end = block.first_token + block.token_count;
            for (; block.first_token < end; block.first_token += block_tokens(token_count_)) {
                block.token_count = std::min(block_tokens(token_count_), end - block.first_token);
                operation(matrix, block);
            }
        }
    }

private:
    // A matrix and how it is cut for the current batch.
    struct Share {
        const Matrix *matrix;
        uint32_t groups, chunks;  // groups of a chunk, and number of chunks
    };
    struct Chunk {
        uint32_t matrix;
        ProductBlock block;
    };

    Chunk at(uint32_t chunk) const;

    std::vector<Share> shares_;
    uint32_t token_count_ = 0, tokens_per_chunk_ = 0, token_blocks_ = 0, most_together_ = 1;
};

// Projections of one input, into buffers or added to them.
class ProjectPlanStep : public PlanStep {
public:
    ProjectPlanStep(const Workspace &workspace, Rows rows, const ProjectStep &step);
    uint32_t prepare() override;
    void run_together(Chunks chunks, uint32_t slot) const override;
    uint32_t most_together() const override { return chunks_.most_together(); }
    size_t scratch_bytes() const override;

private:
    ProjectStep step_;
    MatmulChunks chunks_;
};

class GatedProjectPlanStep : public PlanStep {
public:
    GatedProjectPlanStep(const Workspace &workspace, Rows rows, const GatedProjectStep &step);
    uint32_t prepare() override;
    void run_together(Chunks chunks, uint32_t slot) const override;
    uint32_t most_together() const override { return chunks_.most_together(); }
    size_t scratch_bytes() const override;

private:
    GatedProjectStep step_;
    MatmulChunks chunks_;
};

class LogitsPlanStep : public PlanStep {
public:
    LogitsPlanStep(const Workspace &workspace, Rows rows, const LogitsStep &step);
    uint32_t prepare() override;
    void run_together(Chunks chunks, uint32_t slot) const override;
    uint32_t most_together() const override { return chunks_.most_together(); }
    size_t scratch_bytes() const override;

private:
    LogitsStep step_;
    MatmulChunks chunks_;
};

// ---- step_experts.cpp: mixtures of experts ------------------------------------------------------------------------

// Chooses experts for each row; a chunk is a row.
class RoutePlanStep : public PlanStep {
public:
    RoutePlanStep(const Workspace &workspace, Rows rows, const RouteStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    RouteStep step_;
};

// Sorts the choices of all rows by expert, in one chunk.
class SortChoicesPlanStep : public PlanStep {
public:
    using PlanStep::PlanStep;
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
};

// Copies rows to the places of their choices; a chunk is a row.
class DispatchPlanStep : public PlanStep {
public:
    DispatchPlanStep(const Workspace &workspace, Rows rows, const DispatchStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    DispatchStep step_;
};

// A chunk is some rows of the matrices of one expert that was chosen, for all that chose it.
class ExpertProjectPlanStep : public PlanStep {
public:
    ExpertProjectPlanStep(const Workspace &workspace, Rows rows, const ExpertProjectStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
    size_t scratch_bytes() const override;

private:
    void run_product(uint32_t expert, const ProductBlock &chunk, uint8_t *scratch) const;

    ExpertProjectStep step_;
    uint32_t groups_ = 0, chunks_of_matrix_ = 0;  // for the current batch
};

// Adds up what a row's experts have made of it; a chunk is a row.
class CombinePlanStep : public PlanStep {
public:
    CombinePlanStep(const Workspace &workspace, Rows rows, const CombineStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    CombineStep step_;
};

// ---- step_attend.cpp ----------------------------------------------------------------------------------------------

// Attention of the rows of one tile (consecutive rows of one sequence) and one key-value head is a chunk; it goes
// through the past in parts of split_positions. A single row has too few chunks for that: there each part is a
// chunk of its own, which leaves its result in Workspace::attention_parts for MergePartsPlanStep.
class AttendPlanStep : public PlanStep {
public:
    AttendPlanStep(const Workspace &workspace, Rows rows, const AttendStep &step, uint32_t batch_size);
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
    uint32_t most_together() const override { return split_ ? 8 : 1; }
    size_t scratch_bytes() const override;

    // Whether the results of single heads are whole blocks, so that they can be quantized one by one.
    static bool has_whole_blocks(const HeadShape &shape) { return shape.value_length % 32 == 0; }

    // Floats of Workspace::attention_parts for contexts of that length.
    static size_t part_floats(const HeadShape &shape, uint32_t context_length);

private:
    struct Tile {
        uint32_t first_row, row_count, sequence;
    };

    void make_tiles();
    void run_tile(const Tile &tile, uint32_t head, uint32_t slot) const;
    void run_part(uint32_t part, uint32_t head, uint32_t slot) const;

    AttendStep step_;
    uint32_t most_rows_;  // query rows of a chunk
    std::vector<Tile> tiles_;
    bool split_ = false;
    uint32_t first_split_ = 0, part_count_ = 0;  // when split_: of what the row sees
};

class MergePartsPlanStep : public PlanStep {
public:
    MergePartsPlanStep(const Workspace &workspace, Rows rows, const AttendStep &step)
        : PlanStep(workspace, rows), step_(step) {}
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;

private:
    AttendStep step_;
    uint32_t part_count_ = 0;
};

}  // namespace llm
