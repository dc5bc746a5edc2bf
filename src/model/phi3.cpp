// Phi-3 and Phi-4-mini (Abdin et al. 2024): Llama's blocks with queries, keys and values in one matrix, gate and up in
// another. Long contexts take LongRoPE's factors.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_phi3(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer, {.weights = attention, .rope = rope});
        graph.project_add(b.attended, {b.x, attention.output});

        graph.rms_norm(b.normed, b.x, weights.vector(block + "ffn_norm.weight", width), epsilon);
        const GatedWeights ffn = fused_gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.normed, ffn.gate, ffn.up, Activation::silu});
        graph.project_add(b.hidden, {b.x, ffn.down});
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
