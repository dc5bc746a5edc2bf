#include "model/blocks.h"

#include <algorithm>
#include <cmath>

namespace llm {

LayerBuffers::LayerBuffers(GraphBuilder &graph, const HyperParameters &p)
    : x(graph.buffer(p.embedding_length)),
      normed(graph.buffer(p.embedding_length)),
      q(graph.buffer(p.all_queries())),
      k(graph.buffer(p.all_keys())),
      v(graph.buffer(p.all_values())),
      attended(graph.buffer(p.all_results())),
      hidden(graph.buffer(p.feed_forward_length)) {}

Linear linear(WeightSet &weights, const std::string &name, uint32_t rows, uint32_t columns) {
    return {weights.matrix(name + ".weight", rows, columns), weights.optional_vector(name + ".bias", rows)};
}

namespace {

// Cuts a matrix of `all_rows` rows, and its bias, into its parts, one after the other.
class FusedLinear {
public:
    FusedLinear(WeightSet &weights, const std::string &name, uint32_t all_rows, uint32_t columns)
        : weights_(weights),
          name_(name + ".weight"),
          all_rows_(all_rows),
          columns_(columns),
          bias_(weights.optional_vector(name + ".bias", all_rows)) {}

    Linear next(uint32_t rows) {
        const uint32_t first = next_row_;
        next_row_ += rows;
        return {weights_.matrix_part(name_, first, rows, all_rows_, columns_), bias_ ? bias_ + first : nullptr};
    }

private:
    WeightSet &weights_;
    std::string name_;
    uint32_t all_rows_, columns_;
    const float *bias_;
    uint32_t next_row_ = 0;
};

}  // namespace

std::string block_name(uint32_t layer) { return "blk." + std::to_string(layer) + "."; }

AttentionWeights attention_weights(WeightSet &weights, const std::string &block, const HyperParameters &p) {
    const uint32_t width = p.embedding_length;
    const uint32_t queries = p.all_queries(), keys = p.all_keys(), values = p.all_values();
    AttentionWeights out;
    if (weights.has(block + "attn_qkv.weight")) {
        FusedLinear fused(weights, block + "attn_qkv", queries + keys + values, width);
        out.query = fused.next(queries);
        out.key = fused.next(keys);
        out.value = fused.next(values);
    } else {
        out.query = linear(weights, block + "attn_q", queries, width);
        out.key = linear(weights, block + "attn_k", keys, width);
        out.value = linear(weights, block + "attn_v", values, width);
    }
    out.output = linear(weights, block + "attn_output", width, p.all_results());
    return out;
}

GatedWeights gated_weights(WeightSet &weights, const std::string &block, const HyperParameters &p) {
    const uint32_t width = p.embedding_length, hidden = p.feed_forward_length;
    return {linear(weights, block + "ffn_gate", hidden, width), linear(weights, block + "ffn_up", hidden, width),
            linear(weights, block + "ffn_down", width, hidden)};
}

GatedWeights fused_gated_weights(WeightSet &weights, const std::string &block, const HyperParameters &p) {
    const uint32_t width = p.embedding_length, hidden = p.feed_forward_length;
    FusedLinear fused(weights, block + "ffn_up", 2 * hidden, width);
    GatedWeights out;
    out.gate = fused.next(hidden);
    out.up = fused.next(hidden);
    out.down = linear(weights, block + "ffn_down", width, hidden);
    return out;
}

PlainWeights plain_weights(WeightSet &weights, const std::string &block, const HyperParameters &p) {
    const uint32_t width = p.embedding_length, hidden = p.feed_forward_length;
    return {linear(weights, block + "ffn_up", hidden, width), linear(weights, block + "ffn_down", width, hidden)};
}

const Matrix *token_embedding(WeightSet &weights, const HyperParameters &p) {
    return weights.matrix("token_embd.weight", p.vocabulary_size, p.embedding_length);
}

const Matrix *output_matrix(WeightSet &weights, const HyperParameters &p, const Matrix *embedding) {
    if (!weights.has("output.weight")) return embedding;
    return weights.matrix("output.weight", p.vocabulary_size, p.embedding_length);
}

Pooling read_pooling(const ParameterReader &read) {
    constexpr std::string_view key = "pooling_type";
    constexpr Pooling poolings[] = {Pooling::none, Pooling::mean, Pooling::first, Pooling::last};
    const uint32_t number = read.count_or(key, 1, 0, UINT32_MAX);
    if (number >= std::size(poolings))
        fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(read.full_key(key)), " is ", number,
             ", this build knows 0 (none), 1 (mean), 2 (first) and 3 (last)");
    return poolings[number];
}

RopeFactors rope_factors(WeightSet &weights, const HyperParameters &p) {
    const auto divisors = [&](const char *name) -> RopeFactors::Divisors {
        return {weights.optional_vector(name, p.rope.dimension_count / 2), name};
    };
    if (weights.has("rope_freqs.weight")) return {divisors("rope_freqs.weight"), {}};
    return {divisors("rope_factors_short.weight"), divisors("rope_factors_long.weight")};
}

RopeParameters local_rope(RopeParameters parameters, float base, const ParameterReader &read) {
    parameters.base = read.positive_or("rope.freq_base_swa", base);
    return parameters;
}

RopeParameters unstretched(RopeParameters parameters) {
    parameters.scaling = RopeScaling::none;
    parameters.factor = 1.0f;
    parameters.attention_factor = 1.0f;
    return parameters;
}

std::vector<uint32_t> read_windows(const ParameterReader &read, uint32_t layer_count, uint32_t length,
                                   uint32_t period) {
    constexpr std::string_view pattern = "attention.sliding_window_pattern";
    const uint32_t window = read.count_or("attention.sliding_window", length, 0, INT32_MAX);
    const auto flags = read.layer_flags(pattern, layer_count);
    if (!flags) period = read.count_or(pattern, period, 0, UINT32_MAX);
    std::vector<uint32_t> windows(layer_count);
    for (uint32_t layer = 0; layer < layer_count; ++layer) {
        const bool is_local = flags ? (*flags)[layer] : period == 0 || layer % period != period - 1;
        if (is_local) windows[layer] = window;
    }
    return windows;
}

HeadNorms norms_of_each_head(WeightSet &weights, const std::string &block, const HyperParameters &p, float epsilon) {
    return {weights.vector(block + "attn_q_norm.weight", p.key_length),
            weights.vector(block + "attn_k_norm.weight", p.key_length), epsilon, true};
}

HeadNorms norms_of_all_heads(WeightSet &weights, const std::string &block, const HyperParameters &p, float epsilon) {
    return {weights.vector(block + "attn_q_norm.weight", p.all_queries()),
            weights.vector(block + "attn_k_norm.weight", p.all_keys()), epsilon, false};
}

float score_scale(uint32_t length) { return 1.0f / std::sqrt(static_cast<float>(length)); }

float gemma_score_scale(const HyperParameters &p, uint32_t layers_of_27b) {
    return score_scale(p.layer_count == layers_of_27b ? p.embedding_length / p.head_count : p.key_length);
}

void attend(GraphBuilder &graph, const LayerBuffers &b, Buffer in, const HyperParameters &p, uint32_t layer,
            const Attention &a) {
    constexpr Buffer none = RotateStep::none;
    const uint32_t head_length = (std::max(p.key_length, p.value_length) + 7) / 8 * 8;
    const HeadShape heads{p.head_count, p.head_count_kv, head_length, p.key_length, p.value_length};
    const auto normalize = [&](Buffer buffer, const float *weight, uint32_t head_count) {
        if (weight) graph.rms_norm(buffer, buffer, weight, a.norms.epsilon, a.norms.each_head ? head_count : 1);
    };
    const auto rotate = [&](Buffer queries, Buffer keys, Buffer values) {
        graph.rotate({queries, keys, values, heads, a.rope, a.pairing, layer});
    };
    if (layer + 1 < p.layer_count) {
        graph.project(in, {{b.q, a.weights.query}, {b.k, a.weights.key}, {b.v, a.weights.value}});
        normalize(b.q, a.norms.query, heads.head_count);
        normalize(b.k, a.norms.key, heads.head_count_kv);
        rotate(b.q, b.k, b.v);
    } else {
        graph.project(in, {{b.k, a.weights.key}, {b.v, a.weights.value}});
        normalize(b.k, a.norms.key, heads.head_count_kv);
        rotate(none, b.k, b.v);
        if (in.index == b.x.index)
            graph.select_outputs({b.x});
        else
            graph.select_outputs({b.x, in});
        graph.project(in, {{b.q, a.weights.query}});
        normalize(b.q, a.norms.query, heads.head_count);
        rotate(b.q, none, none);
    }
    graph.attend({.out = b.attended,
                  .queries = b.q,
                  .shape = heads,
                  .layer = layer,
                  .scale = a.scale != 0.0f ? a.scale : score_scale(p.key_length),
                  .softcap = a.softcap,
                  .window = a.window,
                  .sinks = a.sinks});
}

}  // namespace llm
