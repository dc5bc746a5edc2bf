// The forward pass as data: buffers with a width, and steps in order. An architecture file writes it down once; the
// engine turns it into phases for its threads. Nothing here computes.
#pragma once

#include "model/rope.h"
#include "model/weights.h"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace llm {

// A value of the forward pass: for each token of a batch, as many floats as its width.
struct Buffer {
    uint32_t index;
};

// clamped_silu, for gates only: see clamped_silu_multiply in kernel_table.h; gelu_erf not for gates.
enum class Activation { none, silu, gelu, gelu_erf, clamped_silu };
enum class RopePairing { adjacent, halves };

// out = tokens[token] * scale, plus positions[position] and the same vector for all tokens if there are such
struct EmbedStep {
    Buffer out;
    const Matrix *tokens;
    const Matrix *positions = nullptr;
    float scale = 1.0f;
    const float *constant = nullptr;
};

// out = in / rms(in) * weight, for each of `part_count` equal parts of the row, which share the weight. Out may be in.
struct RmsNormStep {
    Buffer out, in;
    const float *weight;
    float epsilon;
    uint32_t part_count;
};

// out = (in - mean(in)) / standard deviation(in) * weight + bias; bias may be nullptr
struct LayerNormStep {
    Buffer out, in;
    const float *weight, *bias;
    float epsilon;
};

// out += in * scale
struct AddStep {
    Buffer out, in;
    float scale;
};

// weight * in + bias; bias may be nullptr
struct Linear {
    const Matrix *weight = nullptr;
    const float *bias = nullptr;
};

// out = activation(linear(in)), or out += that
struct Projection {
    Buffer out;
    Linear linear;
};

// Several projections of one input: their rows are one pool of work.
struct ProjectStep {
    Buffer in;
    std::array<Projection, 3> projections;
    uint32_t projection_count;
    Activation activation;
    bool add;
};

// out = activation(gate(in)) * up(in), elementwise
struct GatedProjectStep {
    Buffer out, in;
    Linear gate, up;
    Activation activation;
};

// Heads have key_length elements in queries and keys and value_length in values and results. In the cache, and in what
// attention computes, both are filled up with zeros to head_length, a multiple of 8.
struct HeadShape {
    uint32_t head_count, head_count_kv, head_length;
    uint32_t key_length = head_length, value_length = head_length;
};

// Rotates queries and keys by their token's position; keys and values then go to the layer's cache.
// Without keys (index none) only queries are rotated, without queries only keys; without a table neither is.
struct RotateStep {
    static constexpr Buffer none{UINT32_MAX};
    Buffer queries, keys, values;
    HeadShape shape;
    const RopeTable *rope;
    RopePairing pairing;
    uint32_t layer;
};

// out = softmax(scores) * values over the positions that a token sees: those up to its own, the last `window` of them
// if that is not 0; in an encoder all positions of its input. scores = queries * keys * scale, with a softcap c of not
// 0 then c * tanh(scores / c). A sink, one for each head, is a score more that has no value.
struct AttendStep {
    Buffer out, queries;
    HeadShape shape;
    uint32_t layer;
    float scale;
    float softcap = 0.0f;
    uint32_t window = 0;
    const float *sinks = nullptr;
};

// How many experts there are, and how many of them each token uses.
struct Mixture {
    uint32_t expert_count, used;
};

// Each token chooses the experts with the largest logits; their weights are the softmax of these logits.
struct RouteStep {
    Buffer logits;  // [expert_count]
};

// out[choice] = in, for each choice of a token
struct DispatchStep {
    Buffer out, in;  // [used][width of in], and in
};

// out[choice] = up(in[choice]) of the expert that was chosen, or activation(gate(in[choice])) * up(in[choice])
struct ExpertProjectStep {
    Buffer out, in;                // [used][rows] and [used][columns] of the matrices
    std::vector<Linear> gate, up;  // [expert_count]; no gate: none
    Activation activation;         // of the gate
};

// out += sum over the choices of weight[choice] * in[choice]
struct CombineStep {
    Buffer out, in;  // in: [used][width of out]
};

// From here on only the tokens whose logits are wanted are computed; the rows of these buffers move together.
struct SelectOutputsStep {
    std::vector<Buffer> buffers;
};

// logits = weight * in * scale, with a softcap c of not 0 then c * tanh(logits / c)
struct LogitsStep {
    Buffer in;
    const Matrix *weight;
    float scale = 1.0f;
    float softcap = 0.0f;
};

using Step =
    std::variant<EmbedStep, RmsNormStep, LayerNormStep, AddStep, ProjectStep, GatedProjectStep, RotateStep, AttendStep,
                 RouteStep, DispatchStep, ExpertProjectStep, CombineStep, SelectOutputsStep, LogitsStep>;

// How the vectors of an input's tokens become its embedding: the mean, one of them, or all as they are.
enum class Pooling { mean, first, last, none };

// What an encoder gives instead of logits: a vector for each token that is wanted.
struct Encoding {
    Buffer vectors;
    Pooling pooling;  // that the model was trained for
};

struct Graph {
    std::vector<uint32_t> buffer_widths;
    std::vector<Step> steps;
    std::deque<RopeTable> rope_tables;
    std::vector<HeadShape> cache_layers;  // what each layer keeps in the cache
    Mixture mixture = {};                 // of all layers
    uint32_t position_limit = 0;          // positions that the model knows; 0: no limit
    std::optional<Encoding> encoding;     // of an encoder: its tokens see each other in both directions
};

class GraphBuilder {
public:
    explicit GraphBuilder(Graph &graph) : graph_(graph) {}

    Buffer buffer(uint32_t width);
    const RopeTable *rope_table(const RopeParameters &parameters, const RopeFactors &factors);

    void embed(Buffer out, const Matrix *tokens, float scale = 1.0f);
    void embed_with_positions(Buffer out, const Matrix *tokens, const Matrix *positions,
                              const float *constant = nullptr);
    void embed_with_constant(Buffer out, const Matrix *tokens, const float *constant);
    void rms_norm(Buffer out, Buffer in, const float *weight, float epsilon, uint32_t part_count = 1);
    void layer_norm(Buffer out, Buffer in, const float *weight, const float *bias, float epsilon);
    void add(Buffer out, Buffer in, float scale = 1.0f);
    void project(Buffer in, std::initializer_list<Projection> projections, Activation activation = Activation::none);
    void project_add(Buffer in, const Projection &projection);
    void gated_project(const GatedProjectStep &step) { graph_.steps.push_back(step); }
    void rotate(const RotateStep &step);
    void attend(const AttendStep &step) { graph_.steps.push_back(step); }
    void mixture(const Mixture &mixture) { graph_.mixture = mixture; }
    void route(Buffer logits) { graph_.steps.push_back(RouteStep{logits}); }
    void dispatch(Buffer out, Buffer in) { graph_.steps.push_back(DispatchStep{out, in}); }
    void expert_project(const ExpertProjectStep &step) { graph_.steps.push_back(step); }
    void combine(Buffer out, Buffer in) { graph_.steps.push_back(CombineStep{out, in}); }
    void select_outputs(std::initializer_list<Buffer> buffers);
    void logits(const LogitsStep &step) { graph_.steps.push_back(step); }
    // Ends the graph of an encoder, which takes inputs up to that length.
    void encoding(const Encoding &encoding, uint32_t position_limit);

private:
    Graph &graph_;
};

}  // namespace llm
