// What the families share: their buffers, their tensors under the usual names, and attention.
#pragma once

#include "model/graph.h"

#include <string>

namespace llm {

struct LayerBuffers {
    Buffer x;         // residual stream
    Buffer normed;    // input of attention or of the feed-forward network
    Buffer q, k, v;   // [head][length of its part]
    Buffer attended;  // [head][value_length]
    Buffer hidden;    // inside the feed-forward network

    LayerBuffers(GraphBuilder &graph, const HyperParameters &parameters);
};

// Tensors `name`.weight and, if the file has it, `name`.bias.
Linear linear(WeightSet &weights, const std::string &name, uint32_t rows, uint32_t columns);

// "blk.<layer>.", in front of the names of a layer's tensors.
std::string block_name(uint32_t layer);

// Queries, keys and values may be three matrices or one, attn_qkv.
struct AttentionWeights {
    Linear query, key, value, output;
};
AttentionWeights attention_weights(WeightSet &weights, const std::string &block, const HyperParameters &parameters);

struct GatedWeights {
    Linear gate, up, down;
};
GatedWeights gated_weights(WeightSet &weights, const std::string &block, const HyperParameters &parameters);
// The same where gate and up are one matrix, ffn_up.
GatedWeights fused_gated_weights(WeightSet &weights, const std::string &block, const HyperParameters &parameters);

// A feed-forward network of one hidden layer, without a gate.
struct PlainWeights {
    Linear up, down;
};
PlainWeights plain_weights(WeightSet &weights, const std::string &block, const HyperParameters &parameters);

const Matrix *token_embedding(WeightSet &weights, const HyperParameters &parameters);

// The matrix of the logits: output.weight, or the embedding if the file has none (tied).
const Matrix *output_matrix(WeightSet &weights, const HyperParameters &parameters, const Matrix *embedding);

// How an encoder's vectors are pooled: the key pooling_type, by default the mean.
Pooling read_pooling(const ParameterReader &read);

// Divisors of the rotary frequencies that the file has: rope_freqs, or the two sets of LongRoPE.
RopeFactors rope_factors(WeightSet &weights, const HyperParameters &parameters);

// The same rotation with the base of layers with a window: the key rope.freq_base_swa, `base` without it.
RopeParameters local_rope(RopeParameters parameters, float base, const ParameterReader &read);

// The same rotation in a context that was not stretched.
RopeParameters unstretched(RopeParameters parameters);

// The window of each layer, in positions; 0: the layer sees all of the past. The key attention.sliding_window is its
// length, `length` if the file does not have that. Of each `period` layers the last one sees all, unless the key
// attention.sliding_window_pattern gives another period (0: all layers have the window) or a flag for each layer.
std::vector<uint32_t> read_windows(const ParameterReader &read, uint32_t layer_count, uint32_t length, uint32_t period);

// RMS norms of queries and keys, before they are rotated: of each head, or of all heads as one vector.
struct HeadNorms {
    const float *query = nullptr, *key = nullptr;  // nullptr: none
    float epsilon = 0.0f;
    bool each_head = true;
};
HeadNorms norms_of_each_head(WeightSet &weights, const std::string &block, const HyperParameters &parameters,
                             float epsilon);
HeadNorms norms_of_all_heads(WeightSet &weights, const std::string &block, const HyperParameters &parameters,
                             float epsilon);

// The usual factor of the scores of heads of that length: 1 / sqrt(length).
float score_scale(uint32_t length);

// That of Gemma 2 and 3: their models of 27B, known by the number of layers, share the embedding among the heads for
// it.
float gemma_score_scale(const HyperParameters &parameters, uint32_t layers_of_27b);

// One layer's attention. Positions, scores and window are those of RotateStep and AttendStep.
struct Attention {
    AttentionWeights weights;
    HeadNorms norms = {};
    const RopeTable *rope = nullptr;
    RopePairing pairing = RopePairing::halves;
    float scale = 0.0f;  // 0: score_scale(key_length)
    float softcap = 0.0f;
    uint32_t window = 0;
    const float *sinks = nullptr;
};

// attended = attention(in), where `in` is the normalized residual stream, or the stream itself. In the last layer,
// whose results matter only for tokens with logits, queries and all that follows are computed for those tokens.
void attend(GraphBuilder &graph, const LayerBuffers &buffers, Buffer in, const HyperParameters &parameters,
            uint32_t layer, const Attention &attention);

}  // namespace llm
