// Numbers, names and sizes of tensor types.
#include "gguf/tensor_type.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace llm;

namespace {

struct Expected {
    uint32_t number;
    std::string name;
    uint32_t block_length, block_bytes;
};

// python3 -c "from gguf.constants import *; [print(int(t), t.name, GGML_QUANT_SIZES[t]) for t in GGMLQuantizationType]"
// with the gguf package, but for Q8_1: the package says 40, the struct in ggml-common.h has two half floats and 32
// bytes, 36. The type stands in no file.
const Expected table[] = {
    {0, "F32", 1, 4},         {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},      {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},      {7, "Q5_1", 32, 24},      {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},    {11, "Q3_K", 256, 110},   {12, "Q4_K", 256, 144},   {13, "Q5_K", 256, 176},
    {14, "Q6_K", 256, 210},   {15, "Q8_K", 256, 292},   {16, "IQ2_XXS", 256, 66}, {17, "IQ2_XS", 256, 74},
    {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50},   {20, "IQ4_NL", 32, 18},   {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},   {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},         {25, "I16", 1, 2},
    {26, "I32", 1, 4},        {27, "I64", 1, 8},        {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56},
    {30, "BF16", 1, 2},       {34, "TQ1_0", 256, 54},   {35, "TQ2_0", 256, 66},   {39, "MXFP4", 32, 17},
};

}  // namespace

BOOST_AUTO_TEST_CASE(known_types_have_their_sizes) {
    for (const Expected &expected : table) {
        const TensorTypeTraits *traits = tensor_type_traits(expected.number);
        BOOST_TEST_INFO(expected.name);
        BOOST_REQUIRE(traits);
        BOOST_TEST(static_cast<uint32_t>(traits->type) == expected.number);
        BOOST_TEST(std::string(traits->name) == expected.name);
        BOOST_TEST(traits->block_length == expected.block_length);
        BOOST_TEST(traits->block_bytes == expected.block_bytes);
        BOOST_TEST(std::string(tensor_type_name(expected.number)) == expected.name);
    }
}

BOOST_AUTO_TEST_CASE(every_other_number_is_unknown) {
    uint32_t known = 0;
    for (uint32_t number = 0; number < 100'000; ++number) known += tensor_type_traits(number) != nullptr;
    BOOST_TEST(known == std::size(table));
    BOOST_TEST(!tensor_type_traits(0x80000000u));
    BOOST_TEST(!tensor_type_traits(0xffffffffu));
}

BOOST_AUTO_TEST_CASE(withdrawn_types_still_have_a_name) {
    BOOST_TEST(tensor_type_name(4) == "Q4_2");
    BOOST_TEST(tensor_type_name(33) == "Q4_0_8_8");
    BOOST_TEST(tensor_type_name(40) == "NVFP4");
    BOOST_TEST(tensor_type_name(200) == "");
    BOOST_TEST(tensor_type_name(0xffffffffu) == "");
}
