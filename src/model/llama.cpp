// Llama (Touvron et al. 2023; Llama 2 and 3, and the many models of that shape: Mistral, SmolLM2, TinyLlama, ...):
// pre-norm blocks of grouped-query attention with rotary positions and a SwiGLU feed-forward network.
#include "model/architecture.h"
#include "model/blocks.h"

#include <cmath>
#include <string>

namespace llm {

void build_llama(GraphBuilder &graph, WeightSet &weights, const HyperParameters &p) {
    const HeadShape heads{p.head_count, p.head_count_kv, p.head_length};
    const float attention_scale = 1.0f / std::sqrt(static_cast<float>(p.head_length));
    const uint32_t width = p.embedding_length;

    const Buffer x = graph.buffer(width);  // residual stream
    const Buffer normed = graph.buffer(width);
    const Buffer q = graph.buffer(p.query_length());  // [head][head_length]
    const Buffer k = graph.buffer(p.key_value_length());
    const Buffer v = graph.buffer(p.key_value_length());
    const Buffer attended = graph.buffer(p.query_length());
    const Buffer hidden = graph.buffer(p.feed_forward_length);

    const float *rope_factors =
        weights.has("rope_freqs.weight") ? weights.vector("rope_freqs.weight", p.rope.dimension_count / 2) : nullptr;
    const RopeTable *rope = graph.rope_table(p.rope, rope_factors);

    const Matrix *embedding = weights.matrix("token_embd.weight", p.vocabulary_size, width);
    graph.embed(x, embedding);

    for (uint32_t layer = 0; layer < p.layer_count; ++layer) {
        const std::string block = "blk." + std::to_string(layer) + ".";

        graph.rms_norm(normed, x, weights.vector(block + "attn_norm.weight", width), p.norm_epsilon);
        const AttentionInputs inputs{
            .x = x,
            .normed = normed,
            .q = q,
            .k = k,
            .v = v,
            .query = weights.matrix(block + "attn_q.weight", p.query_length(), width),
            .key = weights.matrix(block + "attn_k.weight", p.key_value_length(), width),
            .value = weights.matrix(block + "attn_v.weight", p.key_value_length(), width),
            .heads = heads,
            .rope = rope,
            .pairing = RopePairing::adjacent,
            .layer = layer,
            .last_layer = layer + 1 == p.layer_count,
        };
        project_attention_inputs(graph, inputs);
        graph.attend(attended, q, heads, attention_scale, layer);
        graph.project_add(x, attended, weights.matrix(block + "attn_output.weight", width, p.query_length()));

        graph.rms_norm(normed, x, weights.vector(block + "ffn_norm.weight", width), p.norm_epsilon);
        graph.gated_project(hidden, normed, weights.matrix(block + "ffn_gate.weight", p.feed_forward_length, width),
                            weights.matrix(block + "ffn_up.weight", p.feed_forward_length, width), Activation::silu);
        graph.project_add(x, hidden, weights.matrix(block + "ffn_down.weight", width, p.feed_forward_length));
    }

    graph.rms_norm(normed, x, weights.vector("output_norm.weight", width), p.norm_epsilon);
    const bool tied = !weights.has("output.weight");
    graph.logits(normed, tied ? embedding : weights.matrix("output.weight", p.vocabulary_size, width));
}

}  // namespace llm
