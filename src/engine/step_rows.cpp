// Steps that take each row of a batch on its own.
#include "engine/steps.h"
#include "quant/dequantize.h"
#include "quant/packing.h"

#include <algorithm>
#include <cstring>

namespace llm {

namespace {

void read_row(float *out, const Matrix &matrix, uint32_t row) {
    if (matrix.packed) {
        const uint8_t *group = matrix.data + row / rows_per_group * matrix.group_bytes;
        dequantize_packed_row(out, matrix.type, group, row % rows_per_group, matrix.columns);
    } else {
        dequantize_row(out, matrix.type, matrix.data + row * matrix.row_bytes, matrix.columns);
    }
}

template <class T>
void move_row(T *rows, size_t width, uint32_t to, uint32_t from) {
    std::memcpy(rows + to * width, rows + from * width, width * sizeof(T));
}

}  // namespace

uint32_t RowChainPlanStep::prepare() {
    needed_.clear();
    for (const auto &step : steps_)
        if (step->prepare() != 0) needed_.push_back(step.get());
    order_ = RowOrder::of_batch(rows().count(), workspace_.thread_count);
    return needed_.empty() ? 0 : order_.block_count() * order_.block_rows();
}

void RowChainPlanStep::run(uint32_t chunk, uint32_t slot) const {
    const RowRange block = order_.block(chunk / order_.block_rows());
    const uint32_t row = chunk % order_.block_rows();
    if (row >= block.count) return;
    for (const PlanStep *step : needed_) step->run(block.first + row, slot);
}

size_t RowChainPlanStep::scratch_bytes() const {
    size_t most = 0;
    for (const auto &step : steps_) most = std::max(most, step->scratch_bytes());
    return most;
}

uint32_t RopeAnglesPlanStep::prepare() { return workspace_.ropes.empty() ? 0 : rows().count(); }

void RopeAnglesPlanStep::run(uint32_t row, uint32_t) const {
    for (const RopeMemory &rope : workspace_.ropes) {
        const size_t offset = size_t{row} * rope.table->pair_count();
        rope.table->angles(rope.cosines + offset, rope.sines + offset, rows().position[row],
                           workspace_.cache->context_length());
    }
}

uint32_t EmbedPlanStep::prepare() { return rows().count(); }

void EmbedPlanStep::run(uint32_t row, uint32_t slot) const {
    const BufferMemory &out = workspace_[step_.out];
    float *values = out.row(row);
    read_row(values, *step_.tokens, static_cast<uint32_t>(workspace_.batch.tokens[row]));
    for (uint32_t i = 0; i < out.width; ++i) values[i] *= step_.scale;
    if (step_.positions) {
        auto *position = reinterpret_cast<float *>(workspace_.scratch[slot]);
        read_row(position, *step_.positions, rows().position[row]);
        workspace_.kernels->add(values, position, out.width);
    }
    if (step_.constant) workspace_.kernels->add(values, step_.constant, out.width);
    workspace_.quantize(step_.out, row, 0, out.width);
}

size_t EmbedPlanStep::scratch_bytes() const {
    return step_.positions ? workspace_[step_.out].width * sizeof(float) : 0;
}

uint32_t RmsNormPlanStep::prepare() { return rows().count(); }

void RmsNormPlanStep::run(uint32_t row, uint32_t slot) const {
    const BufferMemory &out = workspace_[step_.out];
    const uint32_t length = out.width / step_.part_count;
    const float *from = workspace_[step_.in].row(row);
    float *to = out.has_values ? out.row(row) : reinterpret_cast<float *>(workspace_.scratch[slot]);
    for (uint32_t first = 0; first < out.width; first += length)
        workspace_.kernels->rms_norm(to + first, from + first, step_.weight, length, step_.epsilon);
    workspace_.quantize(out, row, 0, out.width, to);
}

size_t RmsNormPlanStep::scratch_bytes() const {
    const BufferMemory &out = workspace_[step_.out];
    return out.has_values ? 0 : out.width * sizeof(float);
}

uint32_t LayerNormPlanStep::prepare() { return rows().count(); }

void LayerNormPlanStep::run(uint32_t row, uint32_t) const {
    const BufferMemory &out = workspace_[step_.out];
    workspace_.kernels->layer_norm(out.row(row), workspace_[step_.in].row(row), step_.weight, step_.bias, out.width,
                                   step_.epsilon);
    workspace_.quantize(step_.out, row, 0, out.width);
}

uint32_t AddPlanStep::prepare() { return rows().count(); }

void AddPlanStep::run(uint32_t row, uint32_t) const {
    const BufferMemory &out = workspace_[step_.out];
    const float *in = workspace_[step_.in].row(row);
    float *sum = out.row(row);
    for (uint32_t i = 0; i < out.width; ++i) sum[i] += in[i] * step_.scale;
    workspace_.quantize(step_.out, row, 0, out.width);
}

RotatePlanStep::RotatePlanStep(const Workspace &workspace, Rows rows, const RotateStep &step)
    : PlanStep(workspace, rows), step_(step), rope_(nullptr) {
    for (const RopeMemory &rope : workspace.ropes)
        if (rope.table == step.rope) rope_ = &rope;
}

uint32_t RotatePlanStep::prepare() { return rows().count(); }

void RotatePlanStep::run(uint32_t row, uint32_t slot) const {
    const bool has_queries = step_.queries.index != RotateStep::none.index;
    const bool has_keys = step_.keys.index != RotateStep::none.index;
    if (rope_ && has_queries) rotate_heads(step_.queries, row, step_.shape.head_count);
    if (rope_ && has_keys) rotate_heads(step_.keys, row, step_.shape.head_count_kv);
    if (has_keys) store(row, workspace_.scratch[slot]);
}

void RotatePlanStep::rotate_heads(Buffer buffer, uint32_t row, uint32_t head_count) const {
    const KernelTable &kernels = *workspace_.kernels;
    const uint32_t pairs = step_.rope->pair_count();
    const size_t angles = size_t{token_row(row)} * pairs;
    const auto rotate = step_.pairing == RopePairing::adjacent ? kernels.rope_adjacent : kernels.rope_halves;
    float *head = workspace_[buffer].row(row);
    for (uint32_t i = 0; i < head_count; ++i, head += step_.shape.key_length)
        rotate(head, rope_->cosines + angles, rope_->sines + angles, pairs);
}

size_t RotatePlanStep::scratch_bytes() const { return size_t{step_.shape.head_length} * sizeof(float); }

void RotatePlanStep::store(uint32_t row, uint8_t *scratch) const {
    const KernelTable &kernels = *workspace_.kernels;
    const KvCache &cache = *workspace_.cache;
    const uint32_t position = rows().position[row];
    const uint32_t page = cache.pages(step_.layer, rows().sequence[row])[position / page_positions];
    const auto [head_count, head_count_kv, length, key_length, value_length] = step_.shape;
    auto *room = reinterpret_cast<float *>(scratch);
    const float *key = workspace_[step_.keys].row(row);
    const float *value = workspace_[step_.values].row(row);
    for (uint32_t head = 0; head < head_count_kv; ++head, key += key_length, value += value_length) {
        kernels.store_key[static_cast<int>(cache.key_type())](cache.key_page(step_.layer, head, page),
                                                              position % page_positions,
                                                              padded_head(key, key_length, length, room), length);
        kernels.store_value[static_cast<int>(cache.value_type())](
            cache.value_page(step_.layer, head, page), position % page_positions,
            padded_head(value, value_length, length, room), length);
    }
}

uint32_t QuantizePlanStep::prepare() { return always_ || !quantizes_in_place(rows().count()) ? rows().count() : 0; }

void QuantizePlanStep::run(uint32_t row, uint32_t) const {
    workspace_.quantize(buffer_, row, 0, workspace_[buffer_].width);
}

uint32_t SelectOutputsPlanStep::prepare() {
    const Batch &batch = workspace_.batch;
    return batch.outputs.count() == batch.all.count() ? 0 : 1;
}

void SelectOutputsPlanStep::run(uint32_t, uint32_t) const {
    // Ascending order: a row is read before any row moves onto it.
    for (const Buffer buffer : step_.buffers) {
        const BufferMemory &memory = workspace_[buffer];
        for (uint32_t to = 0; to < workspace_.batch.output_rows.size(); ++to) {
            const uint32_t from = workspace_.batch.output_rows[to];
            if (from == to) continue;
            if (memory.has_values) move_row(memory.values, memory.width, to, from);
            if (!memory.is_quantized) continue;
            move_row(memory.quantized.q, memory.width, to, from);
            move_row(memory.quantized.scale, memory.width / 32, to, from);
            move_row(memory.quantized.sum, memory.width / 16, to, from);
        }
    }
}

}  // namespace llm
