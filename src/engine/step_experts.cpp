// Mixtures of experts: rows are sorted by the experts they chose, so that each expert's rows are one matrix product.
#include "engine/steps.h"
#include "quant/packing.h"

#include <algorithm>
#include <cstring>

namespace llm {

namespace {

// Rows that one product takes at most; an expert that more chose reads its weights again from the cache.
constexpr uint32_t most_tokens = 64;

constexpr float nothing = -__builtin_inff();

// One row.
void copy_quantized(const QuantizedRows &out, const QuantizedRows &in, uint32_t width) {
    std::copy_n(in.q, width, out.q);
    std::copy_n(in.scale, width / 32, out.scale);
    std::copy_n(in.sum, width / 16, out.sum);
}

}  // namespace

// ---- RoutePlanStep ------------------------------------------------------------------------------------------------

uint32_t RoutePlanStep::prepare() { return rows().count(); }

void RoutePlanStep::run(uint32_t row, uint32_t) const {
    const MixtureMemory &mixture = workspace_.mixture;
    const auto [expert_count, used] = mixture.shape;
    float *logits = workspace_[step_.logits].row(row);
    uint32_t *expert = mixture.expert + size_t{row} * used;
    float *weight = mixture.weight + size_t{row} * used;
    for (uint32_t choice = 0; choice < used; ++choice) {
        // Where nothing is left that compares, as with NaN, the experts in order will do.
        const uint32_t best = workspace_.kernels->arg_max(logits, expert_count);
        expert[choice] = best < expert_count ? best : choice;
        weight[choice] = logits[expert[choice]];
        logits[expert[choice]] = nothing;
    }
    const float largest = weight[0];
    float sum = 0.0f;
    for (uint32_t choice = 0; choice < used; ++choice) {
        weight[choice] = workspace_.kernels->sum_exp(&weight[choice], 1, largest);
        sum += weight[choice];
    }
    for (uint32_t choice = 0; choice < used; ++choice) weight[choice] /= sum;
}

// ---- SortChoicesPlanStep ------------------------------------------------------------------------------------------

uint32_t SortChoicesPlanStep::prepare() { return rows().count() ? 1 : 0; }

// Counting sort: `begin` first counts, then is where the next row of an expert goes, then is moved back.
void SortChoicesPlanStep::run(uint32_t, uint32_t) const {
    const MixtureMemory &mixture = workspace_.mixture;
    const uint32_t experts = mixture.shape.expert_count;
    const uint32_t choices = mixture.choice_count(rows().count());
    std::fill_n(mixture.begin, experts + 1, 0u);
    for (uint32_t i = 0; i < choices; ++i) ++mixture.begin[mixture.expert[i] + 1];
    for (uint32_t expert = 0; expert < experts; ++expert) mixture.begin[expert + 1] += mixture.begin[expert];
    for (uint32_t i = 0; i < choices; ++i) mixture.place[i] = mixture.begin[mixture.expert[i]]++;
    for (uint32_t expert = experts; expert > 0; --expert) mixture.begin[expert] = mixture.begin[expert - 1];
    mixture.begin[0] = 0;

    uint32_t *next = mixture.active;
    for (uint32_t expert = 0; expert < experts; ++expert)
        if (mixture.begin[expert + 1] > mixture.begin[expert]) *next++ = expert;
    std::fill(next, mixture.active + experts, experts);
}

// ---- DispatchPlanStep ---------------------------------------------------------------------------------------------

uint32_t DispatchPlanStep::prepare() { return rows().count(); }

void DispatchPlanStep::run(uint32_t row, uint32_t) const {
    const MixtureMemory &mixture = workspace_.mixture;
    const BufferMemory &in = workspace_[step_.in];
    const BufferMemory out = workspace_[step_.out].as_rows_of(in.width);
    const uint32_t *places = mixture.place + size_t{row} * mixture.shape.used;
    for (uint32_t choice = 0; choice < mixture.shape.used; ++choice) {
        std::memcpy(out.row(places[choice]), in.row(row), in.width * sizeof(float));
        if (choice == 0)
            workspace_.quantize(out, places[0], 0, in.width);
        else if (out.is_quantized)
            copy_quantized(out.quantized_row(places[choice]), out.quantized_row(places[0]), in.width);
    }
}

// ---- ExpertProjectPlanStep ----------------------------------------------------------------------------------------

uint32_t ExpertProjectPlanStep::prepare() {
    const MixtureMemory &mixture = workspace_.mixture;
    const uint32_t choices = mixture.choice_count(rows().count());
    if (choices == 0) return 0;
    const uint32_t most_active = std::min(choices, mixture.shape.expert_count);
    const Matrix &matrix = *step_.up[0].weight;
    groups_ = groups_of_chunk(matrix, choices / most_active);
    chunks_of_matrix_ = (matrix.group_count() + groups_ - 1) / groups_;
    return most_active * chunks_of_matrix_;
}

void ExpertProjectPlanStep::run(uint32_t index, uint32_t slot) const {
    const MixtureMemory &mixture = workspace_.mixture;
    const uint32_t expert = mixture.active[index / chunks_of_matrix_];
    if (expert == mixture.shape.expert_count) return;
    const uint32_t first_group = index % chunks_of_matrix_ * groups_;
    const uint32_t group_count = std::min(groups_, step_.up[expert].weight->group_count() - first_group);
    const uint32_t end = mixture.begin[expert + 1];
    for (uint32_t first = mixture.begin[expert]; first < end; first += most_tokens)
        run_product(expert, {first_group, group_count, first, std::min(most_tokens, end - first)},
                    workspace_.scratch[slot]);
}

void ExpertProjectPlanStep::run_product(uint32_t expert, const ProductBlock &block, uint8_t *scratch) const {
    const Linear &up = step_.up[expert];
    const BufferMemory in = workspace_[step_.in].as_rows_of(up.weight->columns);
    const BufferMemory out = workspace_[step_.out].as_rows_of(up.weight->rows);
    if (!step_.gate.empty()) {
        multiply_gated(workspace_, step_.gate[expert], up, step_.activation, block, in, out, scratch);
        return;
    }
    multiply(workspace_, *up.weight, block, in, {out.values, out.width}, {.bias = up.bias}, false, scratch);
    quantize_block(workspace_, out, *up.weight, block);
}

size_t ExpertProjectPlanStep::scratch_bytes() const {
    const KernelTable &kernels = *workspace_.kernels;
    const Matrix &up = *step_.up[0].weight;
    const uint32_t groups = std::max(groups_of_chunk(up, 1), groups_of_chunk(up, small_batch + 1));
    if (step_.gate.empty()) return multiply_bytes(kernels, up, groups, most_tokens);
    return multiply_gated_bytes(kernels, *step_.gate[0].weight, up, groups, most_tokens);
}

// ---- CombinePlanStep ----------------------------------------------------------------------------------------------

uint32_t CombinePlanStep::prepare() { return rows().count(); }

void CombinePlanStep::run(uint32_t row, uint32_t) const {
    const MixtureMemory &mixture = workspace_.mixture;
    const BufferMemory &out = workspace_[step_.out];
    const BufferMemory in = workspace_[step_.in].as_rows_of(out.width);
    const size_t first = size_t{row} * mixture.shape.used;
    float *sum = out.row(row);
    for (uint32_t choice = 0; choice < mixture.shape.used; ++choice) {
        const float *values = in.row(mixture.place[first + choice]);
        const float weight = mixture.weight[first + choice];
        for (uint32_t i = 0; i < out.width; ++i) sum[i] += values[i] * weight;
    }
    workspace_.quantize(step_.out, row, 0, out.width);
}

}  // namespace llm
