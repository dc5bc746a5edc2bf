// Steps that the architectures share.
#pragma once

#include "model/graph.h"

namespace llm {

struct AttentionInputs {
    Buffer x, normed;  // residual stream and its normalized form
    Buffer q, k, v;
    const Matrix *query, *key, *value;
    HeadShape heads;
    const RopeTable *rope;
    RopePairing pairing;
    uint32_t layer;
    bool last_layer;
};

// Projects the normalized input to queries, keys and values, rotates queries and keys, and stores keys and values.
// In the last layer, whose other results matter only for tokens with logits, the rest is left to those tokens.
void project_attention_inputs(GraphBuilder &graph, const AttentionInputs &inputs);

}  // namespace llm
