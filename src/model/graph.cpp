#include "model/graph.h"

#include <algorithm>

namespace llm {

Buffer GraphBuilder::buffer(uint32_t width) {
    graph_.buffer_widths.push_back(width);
    return {static_cast<uint32_t>(graph_.buffer_widths.size() - 1)};
}

const RopeTable *GraphBuilder::rope_table(const RopeParameters &parameters, const RopeFactors &factors) {
    for (const RopeTable &table : graph_.rope_tables)
        if (table.is_made_of(parameters, factors)) return &table;
    return &graph_.rope_tables.emplace_back(parameters, factors);
}

void GraphBuilder::embed(Buffer out, const Matrix *tokens, float scale) {
    graph_.steps.push_back(EmbedStep{.out = out, .tokens = tokens, .scale = scale});
}

void GraphBuilder::embed_with_positions(Buffer out, const Matrix *tokens, const Matrix *positions,
                                        const float *constant) {
    graph_.steps.push_back(EmbedStep{.out = out, .tokens = tokens, .positions = positions, .constant = constant});
    graph_.position_limit = positions->rows;
}

void GraphBuilder::embed_with_constant(Buffer out, const Matrix *tokens, const float *constant) {
    graph_.steps.push_back(EmbedStep{.out = out, .tokens = tokens, .constant = constant});
}

void GraphBuilder::rms_norm(Buffer out, Buffer in, const float *weight, float epsilon, uint32_t part_count) {
    graph_.steps.push_back(RmsNormStep{out, in, weight, epsilon, part_count});
}

void GraphBuilder::layer_norm(Buffer out, Buffer in, const float *weight, const float *bias, float epsilon) {
    graph_.steps.push_back(LayerNormStep{out, in, weight, bias, epsilon});
}

void GraphBuilder::add(Buffer out, Buffer in, float scale) { graph_.steps.push_back(AddStep{out, in, scale}); }

void GraphBuilder::project(Buffer in, std::initializer_list<Projection> projections, Activation activation) {
    ProjectStep step{in, {}, static_cast<uint32_t>(projections.size()), activation, false};
    std::copy(projections.begin(), projections.end(), step.projections.begin());
    graph_.steps.push_back(step);
}

void GraphBuilder::project_add(Buffer in, const Projection &projection) {
    graph_.steps.push_back(ProjectStep{in, {{projection}}, 1, Activation::none, true});
}

void GraphBuilder::rotate(const RotateStep &step) {
    graph_.steps.push_back(step);
    if (step.keys.index != RotateStep::none.index) graph_.cache_layers.push_back(step.shape);
}

void GraphBuilder::select_outputs(std::initializer_list<Buffer> buffers) {
    graph_.steps.push_back(SelectOutputsStep{buffers});
}

void GraphBuilder::encoding(const Encoding &encoding, uint32_t position_limit) {
    graph_.encoding = encoding;
    graph_.position_limit = position_limit;
}

}  // namespace llm
