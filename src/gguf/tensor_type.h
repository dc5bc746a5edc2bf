// Tensor types of GGUF: numbers, names and block sizes. Names that this library cannot compute with are known too, so
// that a message can tell "unsupported" from "damaged".
#pragma once

#include <cstdint>
#include <string_view>

namespace llm {

// GGUF's own numbers (ggml/include/ggml.h of ggml-org/llama.cpp lists them).
enum class TensorType : uint32_t {
    f32 = 0,
    f16 = 1,
    q4_0 = 2,
    q4_1 = 3,
    q5_0 = 6,
    q5_1 = 7,
    q8_0 = 8,
    q8_1 = 9,
    q2_k = 10,
    q3_k = 11,
    q4_k = 12,
    q5_k = 13,
    q6_k = 14,
    q8_k = 15,
    iq2_xxs = 16,
    iq2_xs = 17,
    iq3_xxs = 18,
    iq1_s = 19,
    iq4_nl = 20,
    iq3_s = 21,
    iq2_s = 22,
    iq4_xs = 23,
    i8 = 24,
    i16 = 25,
    i32 = 26,
    i64 = 27,
    f64 = 28,
    iq1_m = 29,
    bf16 = 30,
    tq1_0 = 34,
    tq2_0 = 35,
    mxfp4 = 39,
};

struct TensorTypeTraits {
    TensorType type;
    std::string_view name;  // "Q4_K"
    uint32_t block_length;  // elements of a block, a row being a whole number of them
    uint32_t block_bytes;
};

// nullptr for a number that is unknown.
const TensorTypeTraits *tensor_type_traits(uint32_t number);

// Name of a number, those included that have no traits because they were withdrawn or are newer; "" if unknown.
std::string_view tensor_type_name(uint32_t number);

}  // namespace llm
