// StarCoder2 (Lozhkov et al. 2024): layer norms, biases everywhere, rotary positions, and a feed-forward network of one
// hidden layer with GELU.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_starcoder2(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const auto norm = [&](const std::string &name) {
        graph.layer_norm(b.normed, b.x, weights.vector(name + ".weight", width),
                         weights.optional_vector(name + ".bias", width), epsilon);
    };
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        norm(block + "attn_norm");
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer, {.weights = attention, .rope = rope});
        graph.project_add(b.attended, {b.x, attention.output});

        norm(block + "ffn_norm");
        const PlainWeights ffn = plain_weights(weights, block, p);
        graph.project(b.normed, {{b.hidden, ffn.up}}, Activation::gelu);
        graph.project_add(b.hidden, {b.x, ffn.down});
    }

    norm("output_norm");
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
