#include "model/blocks.h"

namespace llm {

void project_attention_inputs(GraphBuilder &graph, const AttentionInputs &in) {
    constexpr Buffer none = RotateStep::none;
    if (!in.last_layer) {
        graph.project(in.normed, {{in.q, in.query}, {in.k, in.key}, {in.v, in.value}});
        graph.rotate(in.q, in.k, in.v, in.heads, in.rope, in.pairing, in.layer);
        return;
    }
    graph.project(in.normed, {{in.k, in.key}, {in.v, in.value}});
    graph.rotate(none, in.k, in.v, in.heads, in.rope, in.pairing, in.layer);
    graph.select_outputs(in.x, in.normed);
    graph.project(in.normed, {{in.q, in.query}});
    graph.rotate(in.q, none, none, in.heads, in.rope, in.pairing, in.layer);
}

}  // namespace llm
