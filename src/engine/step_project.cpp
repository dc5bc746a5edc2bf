// Matrix products, cut into chunks of rows.
#include "engine/steps.h"
#include "quant/packing.h"

#include <algorithm>
#include <cstring>

namespace llm {

namespace {

constexpr size_t alignment = 64;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Scratch of a matrix product: the kernel's own, and room to pack groups of a matrix that is mapped.
size_t matmul_bytes(const KernelTable &kernels, const Matrix &matrix, uint32_t groups) {
    const size_t packed = matrix.packed ? 0 : aligned(groups * matrix.group_bytes);
    return aligned(kernels.matmul_scratch_bytes(matrix.columns)) + packed;
}

const uint8_t *packed_groups(const Matrix &matrix, uint32_t first_group, uint32_t group_count, uint8_t *room) {
    if (matrix.packed) return matrix.data + first_group * matrix.group_bytes;
    for (uint32_t i = 0; i < group_count; ++i) {
        const uint32_t row = (first_group + i) * rows_per_group;
        pack_group(room + i * matrix.group_bytes, matrix.type, matrix.data + row * matrix.row_bytes, matrix.row_bytes,
                   std::min(rows_per_group, matrix.rows - row), matrix.columns);
    }
    return room;
}

// Where a product goes: rows of one token are adjacent, tokens are `stride` floats apart.
struct Target {
    float *values;
    size_t stride;
};

// Rows of the groups of `chunk` times the chunk's tokens of a buffer, written from `target` on in whole groups.
void multiply(const Workspace &workspace, const Matrix &matrix, const MatmulChunks::Chunk &chunk, Buffer in,
              Target target, uint8_t *scratch) {
    const KernelTable &kernels = *workspace.kernels;
    const BufferMemory &input = workspace[in];
    const size_t kernel_bytes = aligned(kernels.matmul_scratch_bytes(matrix.columns));
    MatmulArgs args = {};
    args.weights = packed_groups(matrix, chunk.first_group, chunk.group_count, scratch + kernel_bytes);
    args.group_count = chunk.group_count;
    args.columns = matrix.columns;
    args.token_count = chunk.token_count;
    args.x_float = input.row(chunk.first_token);
    if (input.is_quantized) args.x = input.quantized_row(chunk.first_token);
    args.out = target.values;
    args.out_stride = target.stride;
    args.scratch = scratch;
    kernels.matmul[static_cast<uint32_t>(matrix.type)](args);
}

// Rows of a chunk that the matrix has: its last group may be padded.
uint32_t chunk_rows(const Matrix &matrix, const MatmulChunks::Chunk &chunk) {
    const uint32_t first = chunk.first_group * rows_per_group;
    return std::min(chunk.group_count * rows_per_group, matrix.rows - first);
}

// Multiplies into a buffer or adds to it; finish(values, rows) is called for each token's piece of the product before
// that. Whole groups are written in place; a padded group, and a sum, take the way through scratch.
template <class Finish>
void multiply_to(const Workspace &workspace, const Matrix &matrix, const MatmulChunks::Chunk &chunk, Buffer in,
                 Target out, bool add, uint8_t *scratch, Finish finish) {
    const uint32_t rows = chunk_rows(matrix, chunk);
    const size_t width = chunk.group_count * rows_per_group;
    const bool in_place = !add && rows == width;
    float *first = out.values + chunk.first_token * out.stride + chunk.first_group * rows_per_group;
    auto *room = reinterpret_cast<float *>(scratch + matmul_bytes(*workspace.kernels, matrix, chunk.group_count));
    const Target product = in_place ? Target{first, out.stride} : Target{room, width};
    multiply(workspace, matrix, chunk, in, product, scratch);
    for (uint32_t token = 0; token < chunk.token_count; ++token) {
        float *values = product.values + token * product.stride;
        finish(values, rows);
        float *to = first + token * out.stride;
        if (add)
            workspace.kernels->add(to, values, rows);
        else if (!in_place)
            std::memcpy(to, values, rows * sizeof(float));
    }
}

// values = activation(values + bias)
void add_bias_and_activate(const KernelTable &kernels, float *values, uint32_t count, const float *bias,
                           Activation activation) {
    if (bias) kernels.add(values, bias, count);
    if (activation == Activation::silu) kernels.silu(values, count);
    if (activation == Activation::gelu) kernels.gelu(values, count);
}

size_t product_bytes(uint32_t groups, uint32_t tokens) {
    return aligned(size_t{groups} * rows_per_group * tokens * sizeof(float));
}

// Scratch for multiply_to() with `products` intermediate results at any batch size up to the largest.
size_t scratch_for(const Workspace &workspace, const MatmulChunks &chunks, std::vector<const Matrix *> matrices,
                   uint32_t batch_size, uint32_t products) {
    size_t most = 0;
    for (const Matrix *matrix : matrices) {
        for (const uint32_t tokens : {std::min(batch_size, small_batch), batch_size}) {
            const uint32_t groups = chunks.most_groups(tokens);
            most = std::max(
                most, matmul_bytes(*workspace.kernels, *matrix, groups) + products * product_bytes(groups, tokens));
        }
    }
    return most;
}

std::vector<const Matrix *> weights_of(const ProjectStep &step) {
    std::vector<const Matrix *> out;
    for (uint32_t i = 0; i < step.projection_count; ++i) out.push_back(step.projections[i].linear.weight);
    return out;
}

}  // namespace

// ---- MatmulChunks -------------------------------------------------------------------------------------------------

MatmulChunks::MatmulChunks(const std::vector<const Matrix *> &matrices) {
    for (const Matrix *matrix : matrices) shares_.push_back({matrix, 0, 0});
}

uint32_t MatmulChunks::groups_per_chunk(const Matrix &matrix, uint32_t token_count) const {
    // Two groups are what the kernels take at once. For few tokens a chunk is a stretch of memory that is worth a
    // hand-over between threads; for many, two groups are work enough.
    constexpr size_t stretch_bytes = size_t{16} << 10;
    constexpr uint32_t most = 16;
    if (token_count > small_batch) return 2;
    const auto groups = static_cast<uint32_t>(std::min<size_t>(stretch_bytes / matrix.group_bytes, most));
    return std::max(2u, groups & ~1u);
}

uint32_t MatmulChunks::most_groups(uint32_t token_count) const {
    uint32_t most = 0;
    for (const Share &share : shares_) most = std::max(most, groups_per_chunk(*share.matrix, token_count));
    return most;
}

uint32_t MatmulChunks::prepare(uint32_t token_count, uint32_t thread_count) {
    constexpr uint32_t smallest_block = 48;
    uint32_t row_chunks = 0;
    for (Share &share : shares_) {
        share.groups = groups_per_chunk(*share.matrix, token_count);
        share.chunks = (share.matrix->group_count() + share.groups - 1) / share.groups;
        row_chunks += share.chunks;
    }
    const uint32_t wanted = (4 * thread_count + row_chunks - 1) / row_chunks;
    const uint32_t blocks = std::clamp(token_count / smallest_block, 1u, wanted);
    token_count_ = token_count;
    tokens_per_chunk_ = std::max(1u, (token_count + blocks - 1) / blocks);
    token_blocks_ = (token_count + tokens_per_chunk_ - 1) / tokens_per_chunk_;
    return row_chunks * token_blocks_;
}

MatmulChunks::Chunk MatmulChunks::operator[](uint32_t chunk) const {
    const uint32_t first_token = token_blocks_ == 1 ? 0 : chunk % token_blocks_ * tokens_per_chunk_;
    uint32_t row_chunk = token_blocks_ == 1 ? chunk : chunk / token_blocks_;
    uint32_t matrix = 0;
    for (; row_chunk >= shares_[matrix].chunks; ++matrix) row_chunk -= shares_[matrix].chunks;
    const Share &share = shares_[matrix];
    const uint32_t first = row_chunk * share.groups;
    return {matrix, first, std::min(share.groups, share.matrix->group_count() - first), first_token,
            std::min(tokens_per_chunk_, token_count_ - first_token)};
}

// ---- The steps ----------------------------------------------------------------------------------------------------

ProjectPlanStep::ProjectPlanStep(const Workspace &workspace, Rows rows, const ProjectStep &step, uint32_t batch_size)
    : PlanStep(workspace, rows), step_(step), chunks_(weights_of(step)), batch_size_(batch_size) {}

uint32_t ProjectPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t ProjectPlanStep::scratch_bytes() const {
    return scratch_for(workspace_, chunks_, weights_of(step_), batch_size_, 1);
}

void ProjectPlanStep::run(uint32_t index, uint32_t slot) const {
    const MatmulChunks::Chunk chunk = chunks_[index];
    const Projection &projection = step_.projections[chunk.matrix];
    const BufferMemory &out = workspace_[projection.out];
    const uint32_t first = chunk.first_group * rows_per_group;
    const float *bias = projection.linear.bias ? projection.linear.bias + first : nullptr;
    multiply_to(workspace_, *projection.linear.weight, chunk, step_.in, {out.values, out.width}, step_.add,
                workspace_.scratch[slot], [&](float *values, uint32_t rows) {
                    add_bias_and_activate(*workspace_.kernels, values, rows, bias, step_.activation);
                });
    if (!quantizes_in_place(rows().count())) return;
    // A chunk is a multiple of 32 rows wherever the buffer is read in quantized form.
    for (uint32_t token = 0; token < chunk.token_count; ++token)
        workspace_.quantize(projection.out, chunk.first_token + token, first,
                            chunk_rows(*projection.linear.weight, chunk));
}

GatedProjectPlanStep::GatedProjectPlanStep(const Workspace &workspace, Rows rows, const GatedProjectStep &step,
                                           uint32_t batch_size)
    : PlanStep(workspace, rows), step_(step), chunks_({step.gate.weight}), batch_size_(batch_size) {}

uint32_t GatedProjectPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t GatedProjectPlanStep::scratch_bytes() const {
    return scratch_for(workspace_, chunks_, {step_.gate.weight, step_.up.weight}, batch_size_, 2);
}

void GatedProjectPlanStep::run(uint32_t index, uint32_t slot) const {
    const MatmulChunks::Chunk chunk = chunks_[index];
    const size_t stride = chunk.group_count * rows_per_group;
    uint8_t *scratch = workspace_.scratch[slot];
    const size_t kernel_bytes = std::max(matmul_bytes(*workspace_.kernels, *step_.gate.weight, chunk.group_count),
                                         matmul_bytes(*workspace_.kernels, *step_.up.weight, chunk.group_count));
    auto *up = reinterpret_cast<float *>(scratch + kernel_bytes);
    multiply(workspace_, *step_.up.weight, chunk, step_.in, {up, stride}, scratch);

    // Whole groups of the gate go where the result will be; a padded one would write beyond its row there.
    const BufferMemory &out = workspace_[step_.out];
    const uint32_t first = chunk.first_group * rows_per_group;
    const uint32_t rows = chunk_rows(*step_.gate.weight, chunk);
    const bool in_place = rows == stride;
    const Target gate = in_place ? Target{out.row(chunk.first_token) + first, out.width}
                                 : Target{up + stride * chunk.token_count, stride};
    multiply(workspace_, *step_.gate.weight, chunk, step_.in, gate, scratch);

    for (uint32_t token = 0; token < chunk.token_count; ++token) {
        float *gate_row = gate.values + token * gate.stride;
        float *up_row = up + token * stride;
        const uint32_t row = chunk.first_token + token;
        if (step_.gate.bias) workspace_.kernels->add(gate_row, step_.gate.bias + first, rows);
        if (step_.up.bias) workspace_.kernels->add(up_row, step_.up.bias + first, rows);
        const bool is_silu = step_.activation == Activation::silu;
        (is_silu ? workspace_.kernels->silu_multiply : workspace_.kernels->gelu_multiply)(gate_row, up_row, rows);
        if (!in_place) std::memcpy(out.row(row) + first, gate_row, rows * sizeof(float));
        // A chunk is a multiple of 32 rows wherever the buffer is read in quantized form.
        if (quantizes_in_place(this->rows().count())) workspace_.quantize(step_.out, row, first, rows);
    }
}

LogitsPlanStep::LogitsPlanStep(const Workspace &workspace, Rows rows, const LogitsStep &step, uint32_t batch_size)
    : PlanStep(workspace, rows), step_(step), chunks_({step.weight}), batch_size_(batch_size) {}

uint32_t LogitsPlanStep::prepare() {
    return rows().count() ? chunks_.prepare(rows().count(), workspace_.thread_count) : 0;
}

size_t LogitsPlanStep::scratch_bytes() const {
    return scratch_for(workspace_, chunks_, {step_.weight}, batch_size_, 1);
}

void LogitsPlanStep::run(uint32_t index, uint32_t slot) const {
    const Target out{workspace_.batch.logits, step_.weight->rows};
    multiply_to(workspace_, *step_.weight, chunks_[index], step_.in, out, false, workspace_.scratch[slot],
                [this](float *values, uint32_t rows) {
                    for (uint32_t i = 0; step_.scale != 1.0f && i < rows; ++i) values[i] *= step_.scale;
                    if (step_.softcap != 0.0f) workspace_.kernels->softcap(values, rows, step_.softcap);
                });
}

}  // namespace llm
