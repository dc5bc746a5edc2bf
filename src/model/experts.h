// Mixture of experts (Shazeer et al. 2017; in decoders Jiang et al. 2024): a feed-forward network that each token
// passes through a few of many gated networks.
#pragma once

#include "model/blocks.h"

namespace llm {

struct ExpertBuffers {
    Buffer logits;   // of the router, [expert_count]
    Buffer in;       // [used][embedding]
    Buffer hidden;   // [used][hidden]
    Buffer results;  // [used][embedding]
};

struct Experts {
    Mixture mixture;
    uint32_t hidden_length;
    ExpertBuffers buffers;
};

// Reads expert_used_count and expert_feed_forward_length (feed_forward_length if the file does not have that).
Experts read_experts(GraphBuilder &graph, const HyperParameters &parameters, const ParameterReader &read);

struct ExpertWeights {
    Linear router;
    std::vector<Linear> gate, up, down;
};
ExpertWeights expert_weights(WeightSet &weights, const std::string &block, const HyperParameters &parameters,
                             const Experts &experts);

// x += mixture(in)
void add_experts(GraphBuilder &graph, Buffer x, Buffer in, const Experts &experts, const ExpertWeights &weights,
                 Activation activation);

}  // namespace llm
