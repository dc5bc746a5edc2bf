// SmolLM3 (Bakouch et al. 2025): Llama's blocks, of which every fourth does not rotate (NoPE, Yang et al. 2025).
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_smollm3(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);
        const bool is_rotated = (layer + 1) % 4 != 0;

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer,
               {.weights = attention, .rope = is_rotated ? rope : nullptr, .pairing = RopePairing::adjacent});
        graph.project_add(b.attended, {b.x, attention.output});

        graph.rms_norm(b.normed, b.x, weights.vector(block + "ffn_norm.weight", width), epsilon);
        const GatedWeights ffn = gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.normed, ffn.gate, ffn.up, Activation::silu});
        graph.project_add(b.hidden, {b.x, ffn.down});
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding)});
}

}  // namespace llm
