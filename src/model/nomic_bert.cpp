// Nomic BERT (Nussbaum et al. 2024): BERT with rotary positions, no biases in its matrices, and a feed-forward network
// that is gated with SiLU, or has one hidden layer with GELU where the file has no gate.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_nomic_bert(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_epsilon");
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const auto norm = [&](const std::string &name) {
        graph.layer_norm(b.x, b.x, weights.vector(name + ".weight", width),
                         weights.optional_vector(name + ".bias", width), epsilon);
    };
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    graph.embed_with_constant(b.x, token_embedding(weights, p),
                              weights.optional_first_row("token_types.weight", width));
    norm("token_embd_norm");

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.x, p, layer, {.weights = attention, .rope = rope});
        graph.project_add(b.attended, {b.x, attention.output});
        norm(block + "attn_output_norm");

        if (weights.has(block + "ffn_gate.weight")) {
            const GatedWeights ffn = gated_weights(weights, block, p);
            graph.gated_project({b.hidden, b.x, ffn.gate, ffn.up, Activation::silu});
            graph.project_add(b.hidden, {b.x, ffn.down});
        } else {
            const PlainWeights ffn = plain_weights(weights, block, p);
            graph.project(b.x, {{b.hidden, ffn.up}}, Activation::gelu_erf);
            graph.project_add(b.hidden, {b.x, ffn.down});
        }
        norm(block + "layer_output_norm");
    }

    graph.encoding({b.x, read_pooling(read)}, p.context_length);
}

}  // namespace llm
