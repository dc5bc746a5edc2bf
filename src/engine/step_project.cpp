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

// Quantizes what a block has written to a buffer, if that saves a phase. A block is a multiple of 32 rows wherever the
// buffer is read in quantized form.
void quantize_block(const Workspace &workspace, Buffer buffer, const Matrix &matrix, const ProductBlock &block,
                    uint32_t row_count) {
    if (!quantizes_in_place(row_count)) return;
    for (uint32_t token = 0; token < block.token_count; ++token)
        workspace.quantize(buffer, block.first_token + token, block.first_group * rows_per_group,
                           rows_of_block(matrix, block));
}

}  // namespace

// ---- MatmulChunks -------------------------------------------------------------------------------------------------

MatmulChunks::MatmulChunks(const std::vector<const Matrix *> &matrices) {
    for (const Matrix *matrix : matrices) shares_.push_back({matrix, 0, 0});
}

uint32_t MatmulChunks::prepare(uint32_t token_count, uint32_t thread_count) {
    constexpr uint32_t smallest_block = 48;
    uint32_t row_chunks = 0;
    most_together_ = block_groups(token_count);
    for (Share &share : shares_) {
        share.groups = groups_of_chunk(*share.matrix, token_count);
        share.chunks = (share.matrix->group_count() + share.groups - 1) / share.groups;
        row_chunks += share.chunks;
        most_together_ = std::min(most_together_, block_groups(token_count) / share.groups);
    }
    const uint32_t wanted = (4 * thread_count + row_chunks - 1) / row_chunks;
    const uint32_t blocks = std::clamp(token_count / smallest_block, 1u, wanted);
    token_count_ = token_count;
    tokens_per_chunk_ = std::max(1u, (token_count + blocks - 1) / blocks);
    token_blocks_ = (token_count + tokens_per_chunk_ - 1) / tokens_per_chunk_;
    if (token_blocks_ > 1) most_together_ = 1;
    return row_chunks * token_blocks_;
}

MatmulChunks::Chunk MatmulChunks::at(uint32_t chunk) const {
    const uint32_t first_token = token_blocks_ == 1 ? 0 : chunk % token_blocks_ * tokens_per_chunk_;
    uint32_t row_chunk = token_blocks_ == 1 ? chunk : chunk / token_blocks_;
    uint32_t matrix = 0;
    for (; row_chunk >= shares_[matrix].chunks; ++matrix) row_chunk -= shares_[matrix].chunks;
    const Share &share = shares_[matrix];
    const uint32_t first = row_chunk * share.groups;
    const uint32_t group_count = std::min(share.groups, share.matrix->group_count() - first);
    return {matrix, {first, group_count, first_token, std::min(tokens_per_chunk_, token_count_ - first_token)}};
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
        quantize_block(workspace_, buffer, *linear.weight, block, rows().count());
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
        multiply_gated(workspace_, step_.gate, step_.up, step_.activation, block, workspace_[step_.in],
                       {out.values, out.width}, workspace_.scratch[slot]);
        quantize_block(workspace_, step_.out, *step_.gate.weight, block, rows().count());
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
