#include "engine/products.h"

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

size_t product_bytes(uint32_t groups, uint32_t tokens) {
    return aligned(size_t{groups} * rows_per_group * tokens * sizeof(float));
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

// Writes whole groups, from `target` on, or adds them, from `add_to` on: then `target` is room.
void multiply_groups(const Workspace &workspace, const Matrix &matrix, const ProductBlock &block,
                     const BufferMemory &in, Target target, uint8_t *scratch, Target add_to = {}) {
    const KernelTable &kernels = *workspace.kernels;
    const size_t kernel_bytes = aligned(kernels.matmul_scratch_bytes(matrix.columns));
    MatmulArgs args = {};
    args.weights = packed_groups(matrix, block.first_group, block.group_count, scratch + kernel_bytes);
    args.group_count = block.group_count;
    args.columns = matrix.columns;
    args.token_count = block.token_count;
    if (in.has_values) args.x_float = in.row(block.first_token);
    if (in.is_quantized) args.x = in.quantized_row(block.first_token);
    args.out = target.values;
    args.out_stride = target.stride;
    args.add_to = add_to.values;
    args.add_stride = add_to.stride;
    args.scratch = scratch;
    kernels.matmul[static_cast<uint32_t>(matrix.type)](args);
}

Target at_block(Target out, const ProductBlock &block) {
    return {out.values + block.first_token * out.stride + block.first_group * rows_per_group, out.stride};
}

void finish_values(const KernelTable &kernels, float *values, uint32_t first_row, uint32_t count,
                   const Finish &finish) {
    if (finish.bias) kernels.add(values, finish.bias + first_row, count);
    if (finish.activation == Activation::silu) kernels.silu(values, count);
    if (finish.activation == Activation::gelu) kernels.gelu(values, count);
    if (finish.activation == Activation::gelu_erf) kernels.gelu_erf(values, count);
    for (uint32_t i = 0; finish.scale != 1.0f && i < count; ++i) values[i] *= finish.scale;
    if (finish.softcap != 0.0f) kernels.softcap(values, count, finish.softcap);
}

// gate = activation(gate) * up
void activate_gate(const KernelTable &kernels, Activation activation, float *gate, const float *up, uint32_t count) {
    switch (activation) {
        case Activation::gelu:
            kernels.gelu_multiply(gate, up, count);
            break;
        case Activation::clamped_silu:
            kernels.clamped_silu_multiply(gate, up, count);
            break;
        default:
            kernels.silu_multiply(gate, up, count);
    }
}

}  // namespace

uint32_t groups_of_chunk(const Matrix &matrix, uint32_t token_count) {
    // Two groups are what the kernels take at once. For few tokens a chunk is a stretch of memory that is worth a
    // hand-over between threads; for many, two groups are work enough.
    constexpr size_t stretch_bytes = size_t{8} << 10;
    constexpr uint32_t most = 16;
    if (token_count > small_batch) return 2;
    const auto groups = static_cast<uint32_t>(std::min<size_t>(stretch_bytes / matrix.group_bytes, most));
    return std::max(2u, groups & ~1u);
}

uint32_t rows_of_block(const Matrix &matrix, const ProductBlock &block) {
    return std::min(block.group_count * rows_per_group, matrix.rows - block.first_group * rows_per_group);
}

// Whole groups are written or added in place, if there is nothing to finish before they are added; others take the way
// through scratch.
void multiply(const Workspace &workspace, const Matrix &matrix, const ProductBlock &block, const BufferMemory &in,
              Target out, const Finish &finish, bool add, uint8_t *scratch) {
    const uint32_t rows = rows_of_block(matrix, block);
    const size_t width = block.group_count * rows_per_group;
    const bool in_place = !add && rows == width;
    const Target target = at_block(out, block);
    auto *room = reinterpret_cast<float *>(scratch + matmul_bytes(*workspace.kernels, matrix, block.group_count));
    const Target product = in_place ? target : Target{room, width};
    if (add && rows == width && finish.is_empty()) {
        multiply_groups(workspace, matrix, block, in, product, scratch, target);
        return;
    }
    multiply_groups(workspace, matrix, block, in, product, scratch);
    for (uint32_t token = 0; token < block.token_count; ++token) {
        float *values = product.values + token * product.stride;
        finish_values(*workspace.kernels, values, block.first_group * rows_per_group, rows, finish);
        float *to = target.values + token * target.stride;
        if (add)
            workspace.kernels->add(to, values, rows);
        else if (!in_place)
            std::memcpy(to, values, rows * sizeof(float));
    }
}

void quantize_block(const Workspace &workspace, const BufferMemory &out, const Matrix &matrix,
                    const ProductBlock &block) {
    for (uint32_t token = 0; token < block.token_count; ++token)
        workspace.quantize(out, block.first_token + token, block.first_group * rows_per_group,
                           rows_of_block(matrix, block));
}

// Whole groups of the gate go where the result will be; a padded one would write beyond its row there.
void multiply_gated(const Workspace &workspace, const Linear &gate, const Linear &up, Activation activation,
                    const ProductBlock &block, const BufferMemory &in, const BufferMemory &out, uint8_t *scratch) {
    const KernelTable &kernels = *workspace.kernels;
    const uint32_t first = block.first_group * rows_per_group;
    const uint32_t rows = rows_of_block(*gate.weight, block);
    const size_t width = block.group_count * rows_per_group;
    const size_t kernel_bytes = std::max(matmul_bytes(kernels, *gate.weight, block.group_count),
                                         matmul_bytes(kernels, *up.weight, block.group_count));
    const Target ups{reinterpret_cast<float *>(scratch + kernel_bytes), width};
    multiply_groups(workspace, *up.weight, block, in, ups, scratch);
    const bool in_place = out.has_values && rows == width;
    const Target target = out.has_values ? at_block({out.values, out.width}, block) : Target{};
    const Target gates = in_place ? target : Target{ups.values + width * block.token_count, width};
    multiply_groups(workspace, *gate.weight, block, in, gates, scratch);
    for (uint32_t token = 0; token < block.token_count; ++token) {
        float *gate_row = gates.values + token * gates.stride;
        float *up_row = ups.values + token * ups.stride;
        if (gate.bias) kernels.add(gate_row, gate.bias + first, rows);
        if (up.bias) kernels.add(up_row, up.bias + first, rows);
        activate_gate(kernels, activation, gate_row, up_row, rows);
        workspace.quantize(out, block.first_token + token, first, rows, gate_row);
        if (out.has_values && !in_place)
            std::memcpy(target.values + token * target.stride, gate_row, rows * sizeof(float));
    }
}

size_t multiply_bytes(const KernelTable &kernels, const Matrix &matrix, uint32_t groups, uint32_t tokens) {
    return matmul_bytes(kernels, matrix, groups) + product_bytes(groups, tokens);
}

size_t multiply_gated_bytes(const KernelTable &kernels, const Matrix &gate, const Matrix &up, uint32_t groups,
                            uint32_t tokens) {
    return std::max(matmul_bytes(kernels, gate, groups), matmul_bytes(kernels, up, groups)) +
           2 * product_bytes(groups, tokens);
}

}  // namespace llm
