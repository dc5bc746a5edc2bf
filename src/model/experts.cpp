#include "model/experts.h"

#include "base/error.h"

namespace llm {

Experts read_experts(GraphBuilder &graph, const HyperParameters &p, const ParameterReader &read) {
    constexpr uint32_t most_hidden = 1u << 24;
    constexpr uint64_t most_elements = uint64_t{1} << 31;  // of a token's rows in all of its experts
    const uint32_t count = read.count("expert_count", 1, p.expert_count);
    const uint32_t used = read.count("expert_used_count", 1, count);
    const uint32_t hidden = read.count_or("expert_feed_forward_length", p.feed_forward_length, 1, most_hidden);
    if (uint64_t{used} * std::max(hidden, p.embedding_length) > most_elements)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("expert_used_count")), " is ", used,
             ", too much for experts of ", hidden, " elements");
    graph.mixture({count, used});
    return {{count, used},
            hidden,
            {graph.buffer(count), graph.buffer(used * p.embedding_length), graph.buffer(used * hidden),
             graph.buffer(used * p.embedding_length)}};
}

ExpertWeights expert_weights(WeightSet &weights, const std::string &block, const HyperParameters &p,
                             const Experts &experts) {
    const uint32_t count = experts.mixture.expert_count;
    const auto stacked = [&](const std::string &name, uint32_t rows, uint32_t columns) {
        const std::string bias_name = name + ".bias";
        const float *bias = weights.has(bias_name) ? weights.stacked_vectors(bias_name, count, rows) : nullptr;
        std::vector<Linear> linears;
        for (uint32_t i = 0; i < count; ++i)
            linears.push_back({weights.stacked_matrix(name + ".weight", i, count, rows, columns),
                               bias ? bias + size_t{i} * rows : nullptr});
        return linears;
    };
    const uint32_t width = p.embedding_length, hidden = experts.hidden_length;
    return {linear(weights, block + "ffn_gate_inp", count, width), stacked(block + "ffn_gate_exps", hidden, width),
            stacked(block + "ffn_up_exps", hidden, width), stacked(block + "ffn_down_exps", width, hidden)};
}

void add_experts(GraphBuilder &graph, Buffer x, Buffer in, const Experts &experts, const ExpertWeights &weights,
                 Activation activation) {
    const ExpertBuffers &b = experts.buffers;
    graph.project(in, {{b.logits, weights.router}});
    graph.route(b.logits);
    graph.dispatch(b.in, in);
    graph.expert_project({b.hidden, b.in, weights.gate, weights.up, activation});
    graph.expert_project({b.results, b.hidden, {}, weights.down, Activation::none});
    graph.combine(x, b.results);
}

}  // namespace llm
