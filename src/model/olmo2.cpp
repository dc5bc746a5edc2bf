// OLMo 2 (OLMo Team 2024): norms behind attention and feed-forward network instead of before them, and norms of all
// queries and all keys as one vector each. OLMo 3 adds a window and unstretched rotation for three of four layers.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_olmo2(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const std::vector<uint32_t> windows = read_windows(read, p.layer_count, 0, 4);
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const Buffer branch = graph.buffer(width);  // what a layer adds to the stream
    const RopeTable *global = graph.rope_table(p.rope, rope_factors(weights, p));
    const RopeTable *local = graph.rope_table(unstretched(p.rope), {});

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.x, p, layer,
               {.weights = attention,
                .norms = norms_of_all_heads(weights, block, p, epsilon),
                .rope = windows[layer] != 0 ? local : global,
                .window = windows[layer]});
        graph.project(b.attended, {{branch, attention.output}});
        graph.rms_norm(branch, branch, weights.vector(block + "post_attention_norm.weight", width), epsilon);
        graph.add(b.x, branch);

        const GatedWeights ffn = gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.x, ffn.gate, ffn.up, Activation::silu});
        graph.project(b.hidden, {{branch, ffn.down}});
        graph.rms_norm(branch, branch, weights.vector(block + "post_ffw_norm.weight", width), epsilon);
        graph.add(b.x, branch);
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
