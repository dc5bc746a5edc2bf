// Gemma 2 (Gemma Team 2024): norms before and after attention and feed-forward network, every second layer sees only a
// window of the past, scores and logits are soft-capped.
#include "model/architecture.h"
#include "model/blocks.h"

#include <cmath>

namespace llm {

void build_gemma2(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p, const ParameterReader &read) {
    const float epsilon = read.positive("attention.layer_norm_rms_epsilon");
    const std::vector<uint32_t> windows = read_windows(read, p.layer_count, 4096, 2);
    const float score_cap = read.positive_or("attn_logit_softcapping", 50.0f);
    const float logit_cap = read.positive_or("final_logit_softcapping", 30.0f);
    const uint32_t width = p.embedding_length;
    const LayerBuffers b(graph, p);
    const float scale = gemma_score_scale(p, 46);
    const Buffer branch = graph.buffer(width);  // what a layer adds to the stream
    const RopeTable *global = graph.rope_table(p.rope, {});
    const RopeTable *local = graph.rope_table(local_rope(p.rope, p.rope.base, read), {});

    const Matrix *embedding = token_embedding(weights, p);
    graph.embed(b.x, embedding, std::sqrt(static_cast<float>(width)));

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = block_name(layer);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "attn_norm.weight", width), epsilon);
        const AttentionWeights attention = attention_weights(weights, block, p);
        attend(graph, b, b.normed, p, layer,
               {.weights = attention,
                .rope = windows[layer] != 0 ? local : global,
                .scale = scale,
                .softcap = score_cap,
                .window = windows[layer]});
        graph.project(b.attended, {{branch, attention.output}});
        graph.rms_norm(branch, branch, weights.vector(block + "post_attention_norm.weight", width), epsilon);
        graph.add(b.x, branch);

        graph.rms_norm(b.normed, b.x, weights.vector(block + "ffn_norm.weight", width), epsilon);
        const GatedWeights ffn = gated_weights(weights, block, p);
        graph.gated_project({b.hidden, b.normed, ffn.gate, ffn.up, Activation::gelu});
        graph.project(b.hidden, {{branch, ffn.down}});
        graph.rms_norm(branch, branch, weights.vector(block + "post_ffw_norm.weight", width), epsilon);
        graph.add(b.x, branch);
    }

    graph.rms_norm(b.normed, b.x, weights.vector("output_norm.weight", width), epsilon);
    graph.logits({.in = b.normed, .weight = output_matrix(weights, p, embedding), .softcap = logit_cap});
}

}  // namespace llm
