// The values of blocks: those of a reference program for random blocks, and some that can be worked out by hand.
#include "quant/dequantize.h"

#include "base/error.h"
#include "gguf/gguf_file.h"
#include "io/byte_source.h"
#include "support/test_data.h"
#include "support/weight_rows.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace llm;
using namespace llm::test;

std::vector<float> dequantize(TensorType type, const std::vector<uint8_t> &row, uint32_t columns) {
    std::vector<float> out(columns, -1.0f);
    dequantize_row(out.data(), type, row.data(), columns);
    return out;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

// Compares all rows of tensor `name` with the floats of tensor `name`.f32.
void check_tensor(const GgufFile &file, const uint8_t *bytes, const std::string &name, const WeightType &type) {
    const GgufTensor *blocks = file.find_tensor(name);
    const GgufTensor *values = file.find_tensor(name + ".f32");
    BOOST_REQUIRE_MESSAGE(blocks != nullptr && values != nullptr, "no tensors for " << name);
    BOOST_REQUIRE(blocks->type_number == static_cast<uint32_t>(type.type));
    const auto columns = static_cast<uint32_t>(blocks->dimensions[0]);
    const size_t row_bytes = weight_row_bytes(type, columns);
    std::vector<float> out(columns);
    for (size_t row = 0; row < blocks->dimensions[1]; ++row) {
        dequantize_row(out.data(), type.type, bytes + blocks->offset + row * row_bytes, columns);
        const uint8_t *expected = bytes + values->offset + row * columns * sizeof(float);
        BOOST_TEST(std::memcmp(out.data(), expected, columns * sizeof(float)) == 0, name << ", row " << row);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_blocks_have_the_values_of_the_reference) {
    if (!have_data("golden/quant/blocks.gguf")) return;
    const auto source = open_file_source((data_folder() / "golden/quant/blocks.gguf").string());
    const GgufFile file = GgufFile::parse(*source);
    for (const WeightType &type : weight_types)
        if (type.block_length > 1) check_tensor(file, source->bytes().data(), lower_case(type.name), type);
}

BOOST_AUTO_TEST_CASE(unquantized_rows) {
    const std::vector<float> expected = {1.0f, -2.5f, 0.0f};
    BOOST_TEST(dequantize(TensorType::f16, {0x00, 0x3c, 0x00, 0xc1, 0x00, 0x00}, 3) == expected);
    BOOST_TEST(dequantize(TensorType::bf16, {0x80, 0x3f, 0x20, 0xc0, 0x00, 0x00}, 3) == expected);
    BOOST_TEST(dequantize(TensorType::f32, {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0, 0, 0, 0, 0}, 3) == expected);
}

// d = 2, byte j holds 15 - j below and j above: element j is 2 (7 - j), element 16 + j is 2 (j - 8).
BOOST_AUTO_TEST_CASE(order_of_nibbles) {
    std::vector<uint8_t> block = {0x00, 0x40};
    for (int j = 0; j < 16; ++j) block.push_back(static_cast<uint8_t>(15 - j + 16 * j));
    const std::vector<float> values = dequantize(TensorType::q4_0, block, 32);
    for (int j = 0; j < 16; ++j) {
        BOOST_TEST(values[j] == 2.0f * static_cast<float>(7 - j));
        BOOST_TEST(values[16 + j] == 2.0f * static_cast<float>(j - 8));
    }
}

BOOST_AUTO_TEST_CASE(smallest_and_largest_scales_of_mxfp4) {
    std::vector<uint8_t> block(17, 0x71);  // 0.5 below, 6 above
    block[0] = 0;
    BOOST_TEST(dequantize(TensorType::mxfp4, block, 32)[0] == 0x1p-128f);
    BOOST_TEST(dequantize(TensorType::mxfp4, block, 32)[16] == 0x1.8p-125f);
    block[0] = 1;
    BOOST_TEST(dequantize(TensorType::mxfp4, block, 32)[0] == 0x1p-127f);
    block[0] = 127;
    BOOST_TEST(dequantize(TensorType::mxfp4, block, 32)[16] == 6.0f);
    block[0] = 253;
    BOOST_TEST(dequantize(TensorType::mxfp4, block, 32)[0] == 0x1p125f);
}

BOOST_AUTO_TEST_CASE(types_without_a_reference_are_refused) {
    for (uint32_t number = 0; number < 64; ++number) {
        const auto type = static_cast<TensorType>(number);
        const bool known = std::any_of(std::begin(weight_types), std::end(weight_types),
                                       [type](const WeightType &known_type) { return known_type.type == type; });
        BOOST_TEST(is_dequantizable(type) == known, number);
    }
    const uint8_t block[256] = {};
    float out[256];
    BOOST_CHECK_THROW(dequantize_row(out, TensorType::iq1_s, block, 256), Error);
}
