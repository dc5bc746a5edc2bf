#include "model/graph.h"

#include <algorithm>

namespace llm {

Buffer GraphBuilder::buffer(uint32_t width) {
    graph_.buffer_widths.push_back(width);
    return {static_cast<uint32_t>(graph_.buffer_widths.size() - 1)};
}

const RopeTable *GraphBuilder::rope_table(const RopeParameters &parameters, const float *factors) {
    return &graph_.rope_tables.emplace_back(parameters, factors);
}

void GraphBuilder::embed(Buffer out, const Matrix *table) { graph_.steps.push_back(EmbedStep{out, table}); }

void GraphBuilder::rms_norm(Buffer out, Buffer in, const float *weight, float epsilon) {
    graph_.steps.push_back(RmsNormStep{out, in, weight, epsilon});
}

void GraphBuilder::project(Buffer in, std::initializer_list<Projection> projections) {
    ProjectStep step{in, {}, static_cast<uint32_t>(projections.size()), false};
    std::copy(projections.begin(), projections.end(), step.projections.begin());
    graph_.steps.push_back(step);
}

void GraphBuilder::project_add(Buffer out, Buffer in, const Matrix *weight) {
    graph_.steps.push_back(ProjectStep{in, {{{out, weight}}}, 1, true});
}

void GraphBuilder::gated_project(Buffer out, Buffer in, const Matrix *gate, const Matrix *up, Activation activation) {
    graph_.steps.push_back(GatedProjectStep{out, in, gate, up, activation});
}

void GraphBuilder::rotate(Buffer queries, Buffer keys, Buffer values, const HeadShape &shape, const RopeTable *rope,
                          RopePairing pairing, uint32_t layer) {
    graph_.steps.push_back(RotateStep{queries, keys, values, shape, rope, pairing, layer});
    if (keys.index != RotateStep::none.index) graph_.cache_layers.push_back(shape);
}

void GraphBuilder::attend(Buffer out, Buffer queries, const HeadShape &shape, float scale, uint32_t layer) {
    graph_.steps.push_back(AttendStep{out, queries, shape, scale, layer});
}

void GraphBuilder::select_outputs(Buffer first, Buffer second) {
    graph_.steps.push_back(SelectOutputsStep{{first, second}});
}

void GraphBuilder::logits(Buffer in, const Matrix *weight) { graph_.steps.push_back(LogitsStep{in, weight}); }

}  // namespace llm
