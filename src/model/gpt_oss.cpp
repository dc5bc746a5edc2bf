// gpt-oss (OpenAI 2025): biases everywhere, attention with a sink for each head and, in every second layer, a window; a
// mixture of experts with clamped gates in each layer.
#include "model/architecture.h"
#include "model/experts.h"

namespace llm {

void build_gpt_oss(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const std::vector<uint32_t> windows = read_windows(read, p.layer_count, 0, 2);
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const Experts experts = read_experts(graph, p, read);
    const RopeFactors factors = rope_factors(weights, p);
    const RopeTable *global = graph.rope_table(p.rope, factors);
    const RopeTable *local = graph.rope_table(local_rope(p.rope, p.rope.base, read), factors);

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer,
               {.weights = attention,
                .rope = windows[layer] != 0 ? local : global,
                .window = windows[layer],
                .sinks = weights.vector(block + "attn_sinks.weight", p.head_count)});
        graph.project_add(b.attended, {b.x, attention.output});

        graph.rms_norm(b.normed, b.x, weights.vector(block + "post_attention_norm.weight", width), epsilon);
        add_experts(graph, b.x, b.normed, experts, expert_weights(weights, block, p, experts),
                    Activation::clamped_silu);
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
