// The table of tensor types.
#include "gguf/tensor_type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace llm {

namespace {

using enum TensorType;

// Sizes follow from the block structs in ggml/src/ggml-common.h of ggml-org/llama.cpp. In ascending order.
constexpr std::array all_traits = {
    TensorTypeTraits{f32, "F32", 1, 4},
    TensorTypeTraits{f16, "F16", 1, 2},
    TensorTypeTraits{q4_0, "Q4_0", 32, 18},
    TensorTypeTraits{q4_1, "Q4_1", 32, 20},
    TensorTypeTraits{q5_0, "Q5_0", 32, 22},
    TensorTypeTraits{q5_1, "Q5_1", 32, 24},
    TensorTypeTraits{q8_0, "Q8_0", 32, 34},
    TensorTypeTraits{q8_1, "Q8_1", 32, 36},
    TensorTypeTraits{q2_k, "Q2_K", 256, 84},
    TensorTypeTraits{q3_k, "Q3_K", 256, 110},
    TensorTypeTraits{q4_k, "Q4_K", 256, 144},
    TensorTypeTraits{q5_k, "Q5_K", 256, 176},
    TensorTypeTraits{q6_k, "Q6_K", 256, 210},
    TensorTypeTraits{q8_k, "Q8_K", 256, 292},
    TensorTypeTraits{iq2_xxs, "IQ2_XXS", 256, 66},
    TensorTypeTraits{iq2_xs, "IQ2_XS", 256, 74},
    TensorTypeTraits{iq3_xxs, "IQ3_XXS", 256, 98},
    TensorTypeTraits{iq1_s, "IQ1_S", 256, 50},
    TensorTypeTraits{iq4_nl, "IQ4_NL", 32, 18},
    TensorTypeTraits{iq3_s, "IQ3_S", 256, 110},
    TensorTypeTraits{iq2_s, "IQ2_S", 256, 82},
    TensorTypeTraits{iq4_xs, "IQ4_XS", 256, 136},
    TensorTypeTraits{i8, "I8", 1, 1},
    TensorTypeTraits{i16, "I16", 1, 2},
    TensorTypeTraits{i32, "I32", 1, 4},
    TensorTypeTraits{i64, "I64", 1, 8},
    TensorTypeTraits{f64, "F64", 1, 8},
    TensorTypeTraits{iq1_m, "IQ1_M", 256, 56},
    TensorTypeTraits{bf16, "BF16", 1, 2},
    TensorTypeTraits{tq1_0, "TQ1_0", 256, 54},
    TensorTypeTraits{tq2_0, "TQ2_0", 256, 66},
    TensorTypeTraits{mxfp4, "MXFP4", 32, 17},
};

// 4 and 5, 31 to 33 and 36 to 38 were withdrawn from the format; 40 and 41 are newer than this reader.
constexpr std::array<std::pair<uint32_t, std::string_view>, 10> other_names = {{
    {4, "Q4_2"},
    {5, "Q4_3"},
    {31, "Q4_0_4_4"},
    {32, "Q4_0_4_8"},
    {33, "Q4_0_8_8"},
    {36, "IQ4_NL_4_4"},
    {37, "IQ4_NL_4_8"},
    {38, "IQ4_NL_8_8"},
    {40, "NVFP4"},
    {41, "Q1_0"},
}};

}  // namespace

const TensorTypeTraits *tensor_type_traits(uint32_t number) {
    const auto found = std::ranges::lower_bound(
        all_traits, number, {}, [](const TensorTypeTraits &traits) { return static_cast<uint32_t>(traits.type); });
    return found != all_traits.end() && static_cast<uint32_t>(found->type) == number ? &*found : nullptr;
}

std::string_view tensor_type_name(uint32_t number) {
    if (const TensorTypeTraits *traits = tensor_type_traits(number)) return traits->name;
    const auto found = std::ranges::find(other_names, number, [](const auto &entry) { return entry.first; });
    return found != other_names.end() ? found->second : std::string_view();
}

}  // namespace llm
