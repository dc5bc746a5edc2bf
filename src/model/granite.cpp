// Granite 3 (IBM 2024): Llama's blocks with a factor each for the embedding, the scores, what a block adds to the
// residual stream, and the logits.
#include "model/architecture.h"
#include "model/blocks.h"

namespace llm {

void build_granite(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const float embedding_scale = read.positive_or("embedding_scale", 1.0f);
    const float attention_scale = read.positive_or("attention.scale", score_scale(p.key_length));
    const float residual_scale = read.positive_or("residual_scale", 1.0f);
    const float logit_divisor = read.positive_or("logit_scale", 1.0f);
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const bool is_rotated = read.flag_or("rope.scaling.finetuned", true);  // what the key means here
    const Buffer branch = graph.buffer(width);                             // what a layer adds to the stream
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors(weights, p));

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding, embedding_scale);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer,
               {.weights = attention,
                .rope = is_rotated ? rope : nullptr,
                .pairing = RopePairing::adjacent,
                .scale = attention_scale});
        graph.project(b.attended, {{branch, attention.output}});
        graph.add(b.x, branch, residual_scale);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "ffn_norm.weight", width), epsilon);
        const GatedWeights ffn = gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.normed, ffn.gate, ffn.up, Activation::silu});
        graph.project(b.hidden, {{branch, ffn.down}});
        graph.add(b.x, branch, residual_scale);
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({b.normed, output_matrix(weights, p, embedding), 1.0f / logit_divisor});
}

}  // namespace llm
