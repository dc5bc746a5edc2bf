// Matrix products, cut into chunks of rows.
#include "engine/steps.h"
#include "quant/packing.h"

#include <algorithm>

namespace llm {

namespace {

std::vector<const Matrix *> weights_of(const ProjectStep &step) {
    std::vector<const Matrix *> out;
    for (uint32_t i = 0; i < step.projection_count; ++i) out.push_back(step.projections[i].linear.weight);
    return out;
}

// Weights that are read again for every few tokens, so that rows of a batch stay where they are: as many as the caches
// hold. With larger matrices, the rows' ways are nothing beside the work on them.
constexpr uint64_t most_weights_again = uint64_t{1} << 24;

}  // namespace

// ---- MatmulChunks -------------------------------------------------------------------------------------------------

MatmulChunks::MatmulChunks(const std::vector<const Matrix *> &matrices) {
    for (const Matrix *matrix : matrices) shares_.push_back({matrix, 0, 0});
}

uint32_t MatmulChunks::prepare(uint32_t token_count, uint32_t thread_count) {
    token_count_ = token_count;
    row_chunks_ = 0;
    most_together_ = block_groups(token_count);
    uint64_t weights = 0;
    for (Share &share : shares_) {
        share.groups = groups_of_chunk(*share.matrix, token_count);
        share.chunks = (share.matrix->group_count() + share.groups - 1) / share.groups;
        row_chunks_ += share.chunks;
        most_together_ = std::min(most_together_, block_groups(token_count) / share.groups);
        weights += share.matrix->rows * uint64_t{share.matrix->columns};
    }
    tokens_ = RowOrder::of_batch(token_count, thread_count);
    keeps_rows_ = tokens_.is_dealt_out() && weights <= most_weights_again;
    if (keeps_rows_)
        most_together_ = limit_of_call(weights);
    else
        cut_tokens(thread_count);
    return row_chunks_ * tokens_.block_count();
}

// All rows for some tokens, but not more than takes some milliseconds: a call cannot be cancelled.
uint32_t MatmulChunks::limit_of_call(uint64_t weights) const {
    constexpr uint64_t most_products = uint64_t{1} << 29;
    const uint64_t blocks = most_products / (weights * tokens_.block_rows());
    return row_chunks_ * static_cast<uint32_t>(std::clamp<uint64_t>(blocks, 1, tokens_.block_count()));
}

// All tokens for some rows; tokens are cut only if the rows give too few chunks.
void MatmulChunks::cut_tokens(uint32_t thread_count) {
    constexpr uint32_t smallest_block = 48;
    const uint32_t wanted = (4 * thread_count + row_chunks_ - 1) / row_chunks_;
    const uint32_t blocks = std::clamp(token_count_ / smallest_block, 1u, wanted);
    tokens_ = RowOrder(token_count_, std::max(1u, (token_count_ + blocks - 1) / blocks), 1);
    if (blocks > 1) most_together_ = 1;
}

// ---- The steps ----------------------------------------------------------------------------------------------------

ProjectPlanStep::ProjectPlanStep(const Workspace &workspace, Rows rows, const ProjectStep &step)
    : PlanStep(workspace, rows), step_(step), chunks_(weights_of(step)) {}

uint32_t ProjectPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t ProjectPlanStep::scratch_bytes() const {
    return most_scratch([this](uint32_t groups, uint32_t tokens) {
        size_t most = 0;
        for (const Matrix *matrix : weights_of(step_))
            most = std::max(most, multiply_bytes(*workspace_.kernels, *matrix, groups, tokens));
        return most;
    });
}

void ProjectPlanStep::run_together(Chunks chunks, uint32_t slot) const {
    chunks_.for_each_block(chunks, [&](uint32_t matrix, const ProductBlock &block) {
        const auto &[buffer, linear] = step_.projections[matrix];
        const BufferMemory &out = workspace_[buffer];
        multiply(workspace_, *linear.weight, block, workspace_[step_.in], {out.values, out.width},
                 {.bias = linear.bias, .activation = step_.activation}, step_.add, workspace_.scratch[slot]);
        if (quantizes_in_place(rows().count())) quantize_block(workspace_, out, *linear.weight, block);
    });
}

GatedProjectPlanStep::GatedProjectPlanStep(const Workspace &workspace, Rows rows, const GatedProjectStep &step)
    : PlanStep(workspace, rows), step_(step), chunks_({step.gate.weight}) {}

uint32_t GatedProjectPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t GatedProjectPlanStep::scratch_bytes() const {
    return most_scratch([this](uint32_t groups, uint32_t tokens) {
        return multiply_gated_bytes(*workspace_.kernels, *step_.gate.weight, *step_.up.weight, groups, tokens);
    });
}

void GatedProjectPlanStep::run_together(Chunks chunks, uint32_t slot) const {
    const BufferMemory &out = workspace_[step_.out];
    chunks_.for_each_block(chunks, [&](uint32_t, const ProductBlock &block) {
        multiply_gated(workspace_, step_.gate, step_.up, step_.activation, block, workspace_[step_.in], out,
                       workspace_.scratch[slot]);
    });
}

LogitsPlanStep::LogitsPlanStep(const Workspace &workspace, Rows rows, const LogitsStep &step)
    : PlanStep(workspace, rows), step_(step), chunks_({step.weight}) {}

uint32_t LogitsPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t LogitsPlanStep::scratch_bytes() const {
    return most_scratch([this](uint32_t groups, uint32_t tokens) {
        return multiply_bytes(*workspace_.kernels, *step_.weight, groups, tokens);
    });
}

void LogitsPlanStep::run_together(Chunks chunks, uint32_t slot) const {
    chunks_.for_each_block(chunks, [&](uint32_t, const ProductBlock &block) {
        multiply(workspace_, *step_.weight, block, workspace_[step_.in], {workspace_.batch.logits, step_.weight->rows},
                 {.scale = step_.scale, .softcap = step_.softcap}, false, workspace_.scratch[slot]);
    });
}

}  // namespace llm
