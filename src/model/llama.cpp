// Llama (Touvron et al. 2023; Llama 2 and 3, and the many models of that shape: Mistral, SmolLM2, TinyLlama, ...):
// pre-norm blocks of grouped-query attention with rotary positions and a SwiGLU feed-forward network, or a mixture of
// such networks (Mixtral, Jiang et al. 2024).
#include "model/architecture.h"
#include "model/blocks.h"
#include "model/experts.h"

#include <optional>

namespace llm {

void build_llama(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    std::optional<Experts> experts;
    if (p.expert_count != 0) experts = read_experts(graph, p, read);
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer, {.weights = attention, .rope = rope, .pairing = RopePairing::adjacent});
        graph.project_add(b.attended, {b.x, attention.output});

        graph.rms_norm(b.normed, b.x, weights.vector(block + "ffn_norm.weight", width), epsilon);
        if (experts) {
            add_experts(graph, b.x, b.normed, *experts, expert_weights(weights, block, p, *experts), Activation::silu);
            continue;
        }
        const GatedWeights ffn = gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.normed, ffn.gate, ffn.up, Activation::silu});
        graph.project_add(b.hidden, {b.x, ffn.down});
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
