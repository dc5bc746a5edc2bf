// Rows of weights as they stand in a file, for tests: random ones, and ones with extreme fields.
#pragma once

#include "gguf/tensor_type.h"

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace llm::test {

// What a test must know of a type's blocks; written down here a second time so that it does not rest on the library.
struct WeightType {
    TensorType type;
    std::string_view name;
    uint32_t block_length;
    uint32_t block_bytes;
    int half_fields[2];  // offsets of the scales (and minima) that are half floats; -1: none
};

inline constexpr WeightType weight_types[] = {
    {TensorType::f32, "F32", 1, 4, {-1, -1}},        {TensorType::f16, "F16", 1, 2, {0, -1}},
    {TensorType::bf16, "BF16", 1, 2, {-1, -1}},      {TensorType::q4_0, "Q4_0", 32, 18, {0, -1}},
    {TensorType::q4_1, "Q4_1", 32, 20, {0, 2}},      {TensorType::q5_0, "Q5_0", 32, 22, {0, -1}},
    {TensorType::q5_1, "Q5_1", 32, 24, {0, 2}},      {TensorType::q8_0, "Q8_0", 32, 34, {0, -1}},
    {TensorType::iq4_nl, "IQ4_NL", 32, 18, {0, -1}}, {TensorType::mxfp4, "MXFP4", 32, 17, {-1, -1}},
    {TensorType::q2_k, "Q2_K", 256, 84, {80, 82}},   {TensorType::q3_k, "Q3_K", 256, 110, {108, -1}},
    {TensorType::q4_k, "Q4_K", 256, 144, {0, 2}},    {TensorType::q5_k, "Q5_K", 256, 176, {0, 2}},
    {TensorType::q6_k, "Q6_K", 256, 210, {208, -1}}, {TensorType::iq4_xs, "IQ4_XS", 256, 136, {0, -1}},
};

enum class WeightStyle {
    ordinary,          // random quants, scales of trained models' size
    any_bits,          // every field random, so that scales may be infinite or NaN
    all_ones,          // every bit of the quants and inner scales set, largest half floats
    all_ones_mild,     // the same with half floats of 1
    lowest_bytes,      // every byte 0x80: -128 as a signed byte
    zero_scales,       // random quants, all half floats 0 or -0
    subnormal_scales,  // random quants, subnormal half floats
};
inline constexpr WeightStyle weight_styles[] = {
    WeightStyle::ordinary,     WeightStyle::any_bits,    WeightStyle::all_ones,         WeightStyle::all_ones_mild,
    WeightStyle::lowest_bytes, WeightStyle::zero_scales, WeightStyle::subnormal_scales,
};

using Random = std::mt19937;

// `row_count` rows of `columns` elements, one after the other.
std::vector<uint8_t> make_weight_rows(const WeightType &type, WeightStyle style, uint32_t row_count, uint32_t columns,
                                      Random &random);

inline size_t weight_row_bytes(const WeightType &type, uint32_t columns) {
    return size_t{columns} / type.block_length * type.block_bytes;
}

}  // namespace llm::test
