// Weights of one type, made by random bits and scaled by the exponents of their half floats.
#include "support/typed_llama.h"

#include "quant/dequantize.h"
#include "support/tiny_llama.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace llm::test {

namespace {

// Root mean square of the weights: about 1.3 / sqrt(columns). Those of queries and keys are smaller, because in formats
// with a minimum the weights of a block have one sign, and large scores would leave all attention to one position.
constexpr double ordinary = 0.08, small = 0.02;

struct Shape {
    const char *name;
    uint32_t columns, rows;
    double size;
};
constexpr Shape matrices[] = {
    {"token_embd.weight", 256, tiny_llama_vocabulary_size, ordinary},
    {"blk.0.attn_q.weight", 256, 256, small},
    {"blk.0.attn_k.weight", 256, 128, small},
    {"blk.0.attn_v.weight", 256, 128, ordinary},
    {"blk.0.attn_output.weight", 256, 256, ordinary},
    {"blk.0.ffn_gate.weight", 256, 512, ordinary},
    {"blk.0.ffn_up.weight", 256, 512, ordinary},
    {"blk.0.ffn_down.weight", 512, 256, ordinary},
    {"output.weight", 256, tiny_llama_vocabulary_size, ordinary},
};

double root_mean_square(const WeightType &type, const std::vector<uint8_t> &rows, uint32_t columns) {
    std::vector<float> values(rows.size() / type.block_bytes * type.block_length);
    const size_t row_bytes = weight_row_bytes(type, columns);
    for (size_t row = 0; row * row_bytes < rows.size(); ++row)
        dequantize_row(values.data() + row * columns, type.type, rows.data() + row * row_bytes, columns);
    double sum = 0.0;
    for (const float value : values) sum += double{value} * value;
    return std::sqrt(sum / static_cast<double>(values.size()));
}

// Gives a block's half floats that exponent, and MXFP4's only scale, a power of two.
void set_exponent(uint8_t *block, const WeightType &type, int exponent) {
    if (type.type == TensorType::mxfp4) block[0] = static_cast<uint8_t>(127 + exponent);
    for (const int offset : type.half_fields) {
        if (offset < 0) continue;
        uint16_t bits = 0;
        std::memcpy(&bits, block + offset, sizeof bits);
        bits = static_cast<uint16_t>((bits & 0x83ff) | (exponent + 15) << 10);
        std::memcpy(block + offset, &bits, sizeof bits);
    }
}

template <class Bits>
std::vector<uint8_t> float_weights(size_t count, double size, Random &random) {
    constexpr int unused_bits = 8 * (4 - static_cast<int>(sizeof(Bits)));  // of the float, as for bfloat16
    ByteWriter out;
    for (size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>((random() * 0x1p-31 - 1.0) * size * std::sqrt(3.0));
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        out.put(static_cast<Bits>(bits >> unused_bits));
    }
    return out.bytes();
}

std::vector<uint8_t> moderate_weights(const WeightType &type, const Shape &shape, Random &random) {
    const size_t count = size_t{shape.rows} * shape.columns;
    if (type.type == TensorType::f32) return float_weights<uint32_t>(count, shape.size, random);
    if (type.type == TensorType::bf16) return float_weights<uint16_t>(count, shape.size, random);
    auto rows = make_weight_rows(type, WeightStyle::ordinary, shape.rows, shape.columns, random);
    const auto set_all = [&](int exponent) {
        for (size_t i = 0; i < rows.size(); i += type.block_bytes) set_exponent(rows.data() + i, type, exponent);
    };
    set_all(0);
    const double found = root_mean_square(type, rows, shape.columns);
    set_all(std::max(-14, static_cast<int>(std::lround(std::log2(shape.size / found)))));
    return rows;
}

}  // namespace

GgufBuilder typed_llama(const WeightType &type) {
    GgufBuilder model = tiny_llama();
    Random random(7);
    for (const Shape &shape : matrices)
        model.reshape_tensor(shape.name, {shape.columns, shape.rows}, static_cast<uint32_t>(type.type),
                             moderate_weights(type, shape, random));
    return model;
}

}  // namespace llm::test
