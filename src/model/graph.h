// The forward pass as data: buffers with a width, and steps in order. An architecture file writes it down once; the
// engine turns it into phases for its threads. Nothing here computes.
#pragma once

#include "model/rope.h"
#include "model/weights.h"

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <variant>
#include <vector>

namespace llm {

// A value of the forward pass: for each token of a batch, as many floats as its width.
struct Buffer {
    uint32_t index;
};

enum class Activation { silu };
enum class RopePairing { adjacent, halves };

// out = table[token]
struct EmbedStep {
    Buffer out;
    const Matrix *table;
};

// out = in / rms(in) * weight
struct RmsNormStep {
    Buffer out, in;
    const float *weight;
    float epsilon;
};

// out = weight * in (+ bias), or out += weight * in
struct Projection {
    Buffer out;
    const Matrix *weight;
};

// Several projections of one input: their rows are one pool of work.
struct ProjectStep {
    Buffer in;
    std::array<Projection, 3> projections;
    uint32_t projection_count;
    bool add;
};

// out = activation(gate * in) * (up * in), elementwise
struct GatedProjectStep {
    Buffer out, in;
    const Matrix *gate, *up;
    Activation activation;
};

struct HeadShape {
    uint32_t head_count, head_count_kv, head_length;
};

// Rotates queries and keys by their token's position; keys and values then go to the layer's cache.
// Without keys (index none) only queries are rotated, without queries only keys.
struct RotateStep {
    static constexpr Buffer none{UINT32_MAX};
    Buffer queries, keys, values;
    HeadShape shape;
    const RopeTable *rope;
    RopePairing pairing;
    uint32_t layer;
};

// out = softmax(queries * keys / sqrt(head_length)) * values, over the positions up to the token's own
struct AttendStep {
    Buffer out, queries;
    HeadShape shape;
    float scale;
    uint32_t layer;
};

// From here on only the tokens whose logits are wanted are computed; the rows of these buffers move together.
struct SelectOutputsStep {
    std::array<Buffer, 2> buffers;
};

// logits = weight * in
struct LogitsStep {
    Buffer in;
    const Matrix *weight;
};

using Step = std::variant<EmbedStep, RmsNormStep, ProjectStep, GatedProjectStep, RotateStep, AttendStep,
                          SelectOutputsStep, LogitsStep>;

struct Graph {
    std::vector<uint32_t> buffer_widths;
    std::vector<Step> steps;
    std::deque<RopeTable> rope_tables;
    std::vector<HeadShape> cache_layers;  // what each layer keeps in the cache
};

class GraphBuilder {
public:
    explicit GraphBuilder(Graph &graph) : graph_(graph) {}

    Buffer buffer(uint32_t width);
    const RopeTable *rope_table(const RopeParameters &parameters, const float *factors);

    void embed(Buffer out, const Matrix *table);
    void rms_norm(Buffer out, Buffer in, const float *weight, float epsilon);
    void project(Buffer in, std::initializer_list<Projection> projections);
    void project_add(Buffer out, Buffer in, const Matrix *weight);
    void gated_project(Buffer out, Buffer in, const Matrix *gate, const Matrix *up, Activation activation);
    void rotate(Buffer queries, Buffer keys, Buffer values, const HeadShape &shape, const RopeTable *rope,
                RopePairing pairing, uint32_t layer);
    void attend(Buffer out, Buffer queries, const HeadShape &shape, float scale, uint32_t layer);
    void select_outputs(Buffer first, Buffer second);
    void logits(Buffer in, const Matrix *weight);

private:
    Graph &graph_;
};

}  // namespace llm
