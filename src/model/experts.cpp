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

namespace {

// One expert's part ("ffn_up") from the tensor that stacks those of all experts. The first files of Mixtral have a
// tensor for each instead: "blk.0.ffn_up.7.weight".
const Matrix *expert_matrix(WeightSet &weights, const std::string &block, const std::string &part, uint32_t expert,
                            uint32_t count, uint32_t rows, uint32_t columns) {
    if (!weights.has(block + part + "_exps.weight") && weights.has(block + part + ".0.weight"))
        return weights.matrix(block + part + "." + std::to_string(expert) + ".weight", rows, columns);
    return weights.stacked_matrix(block + part + "_exps.weight", expert, count, rows, columns);
}

}  // namespace

ExpertWeights expert_weights(WeightSet &weights, const std::string &block, const HyperParameters &p,
                             const Experts &experts) {
    const uint32_t count = experts.mixture.expert_count;
    const auto stacked = [&](const char *part, uint32_t rows, uint32_t columns) {
        const std::string bias_name = block + part + "_exps.bias";
        const float *bias = weights.has(bias_name) ? weights.stacked_vectors(bias_name, count, rows) : nullptr;
        std::vector<Linear> linears;
        for (uint32_t i = 0; i < count; ++i)
            linears.push_back({expert_matrix(weights, block, part, i, count, rows, columns),
                               bias ? bias + size_t{i} * rows : nullptr});
        return linears;
    };
    const uint32_t width = p.embedding_length, hidden = experts.hidden_length;
    return {linear(weights, block + "ffn_gate_inp", count, width), stacked("ffn_gate", hidden, width),
            stacked("ffn_up", hidden, width), stacked("ffn_down", width, hidden)};
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
