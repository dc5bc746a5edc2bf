// The steps of a plan, one class for each kind of step in a graph.
#pragma once

#include "engine/products.h"
#include "engine/row_order.h"
#include "engine/workspace.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace llm {

// A projection that writes a buffer also quantizes the pieces when the batch is small: that saves a phase. For more
// rows a QuantizePlanStep behind it is faster, because it quantizes whole rows.
inline bool quantizes_in_place(uint32_t row_count) { return row_count <= small_batch; }

// ---- step_rows.cpp: steps that take each row on its own: a chunk is a row ----------------------------------------

// Such steps, one behind the other, as one phase: a row goes through all of them while it is in the cache. The rows
// come in the order of RowOrder; a block that is not full has chunks without a row.
class RowChainPlanStep : public PlanStep {
public:
    using PlanStep::PlanStep;
    void append(std::unique_ptr<PlanStep> step) {
        steps_.push_back(std::move(step));
        needed_.reserve(steps_.size());  // so that no batch allocates
    }
    uint32_t prepare() override;
    void run(uint32_t chunk, uint32_t slot) const override;
    uint32_t most_together() const override { return 64; }
    bool keeps_rows() const override { return order_.is_dealt_out(); }
    size_t scratch_bytes() const override;

private:
    std::vector<std::unique_ptr<PlanStep>> steps_;
    std::vector<const PlanStep *> needed_;  // for the current batch
    RowOrder order_;
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
    size_t scratch_bytes() const override;

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

// How the rows of some matrices, and the rows of a batch ("tokens"), are cut into chunks: for one block of tokens after
// the other, some rows of the matrices after the others. Threads never share a sum.
class MatmulChunks {
public:
    explicit MatmulChunks(const std::vector<const Matrix *> &matrices);
    uint32_t prepare(uint32_t token_count, uint32_t thread_count);
    uint32_t most_together() const { return most_together_; }
    bool keeps_rows() const { return keeps_rows_; }

    // Calls operation(matrix, block) for all that neighbouring chunks have to compute, in blocks as large as
    // block_groups() and block_tokens() allow. Rows of a matrix are taken for all blocks of tokens at once, if they are
    // wanted for all.
    template <class Operation>
    void for_each_block(Chunks chunks, Operation operation) const {
        while (chunks.count > 0) {
            const uint32_t first = chunks.first % row_chunks_, order = chunks.first / row_chunks_;
            const uint32_t last = std::min(row_chunks_, first + chunks.count);
            const uint32_t token_blocks = first == 0 ? std::max(1u, chunks.count / row_chunks_) : 1;
            for_each_stretch(first, last, [&](uint32_t matrix, ProductBlock &block) {
                for (uint32_t i = 0; i < token_blocks; ++i)
                    for_each_tokens(tokens_.block(order + i), block, [&] { operation(matrix, block); });
            });
            chunks.first += token_blocks * (last - first);
            chunks.count -= token_blocks * (last - first);
        }
    }

private:
    // A matrix and how it is cut for the current batch.
    struct Share {
        const Matrix *matrix;
        uint32_t groups, chunks;  // groups of a chunk, and number of chunks
    };

    // Calls operation(matrix, block), with all but the tokens, for the row chunks first <= i < last.
    template <class Operation>
    void for_each_stretch(uint32_t first, uint32_t last, Operation operation) const {
        uint32_t begin = 0;
        for (uint32_t matrix = 0; matrix < shares_.size(); begin += shares_[matrix++].chunks) {
            const Share &share = shares_[matrix];
            const uint32_t from = std::clamp(first, begin, begin + share.chunks) - begin;
            const uint32_t to = std::clamp(last, begin, begin + share.chunks) - begin;
            const uint32_t end = std::min(to * share.groups, share.matrix->group_count());
            ProductBlock block = {};
            for (block.first_group = from * share.groups; block.first_group < end;
                 block.first_group += block.group_count) {
                block.group_count = std::min(block_groups(token_count_), end - block.first_group);
                operation(matrix, block);
            }
        }
    }

    // Calls operation() for the block with some of the tokens, until it was called for all.
    template <class Operation>
    void for_each_tokens(RowRange tokens, ProductBlock &block, Operation operation) const {
        const uint32_t most = block_tokens(token_count_);
        for (block.first_token = tokens.first; block.first_token < tokens.end(); block.first_token += most) {
            block.token_count = std::min(most, tokens.end() - block.first_token);
            operation();
        }
    }

    uint32_t limit_of_call(uint64_t weights) const;
    void cut_tokens(uint32_t thread_count);

    std::vector<Share> shares_;
    RowOrder tokens_;
    bool keeps_rows_ = false;
    uint32_t token_count_ = 0, row_chunks_ = 0, most_together_ = 1;
};

// Projections of one input, into buffers or added to them.
class ProjectPlanStep : public PlanStep {
public:
    ProjectPlanStep(const Workspace &workspace, Rows rows, const ProjectStep &step);
    uint32_t prepare() override;
    void run_together(Chunks chunks, uint32_t slot) const override;
    uint32_t most_together() const override { return chunks_.most_together(); }
    bool keeps_rows() const override { return chunks_.keeps_rows(); }
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
    bool keeps_rows() const override { return chunks_.keeps_rows(); }
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
    bool keeps_rows() const override { return chunks_.keeps_rows(); }
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
    uint32_t most_together() const override { return split_ ? 8 : keeps_rows_ ? 4 : 1; }
    bool keeps_rows() const override { return keeps_rows_; }
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
    bool split_ = false, keeps_rows_ = false;
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
