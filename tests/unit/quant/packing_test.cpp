// Packing: every element and scale lands where packing.h says, nothing is lost, nothing outside is touched.
#include "quant/packing.h"

#include "base/error.h"
#include "kernels/matmul_reference.h"
#include "quant/dequantize.h"
#include "support/guarded_buffer.h"
#include "support/weight_rows.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <sstream>

namespace {

using namespace llm;
using namespace llm::test;

bool same_value(float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

uint32_t test_columns(const WeightType &type) { return type.block_length == 1 ? 37 : 3 * type.block_length; }

// Rows at odd addresses with gaps between, the last of them ending where reading is forbidden.
void check_round_trip(const WeightType &type, WeightStyle style, uint32_t row_count) {
    Random random(row_count);
    const uint32_t columns = test_columns(type);
    const size_t row_bytes = weight_row_bytes(type, columns), stride = row_bytes + 3;
    const std::vector<uint8_t> rows = make_weight_rows(type, style, row_count, columns, random);
    const GuardedBuffer source((row_count - 1) * stride + row_bytes, 1);
    for (uint32_t r = 0; r < row_count; ++r)
        std::memcpy(source.data() + r * stride, rows.data() + r * row_bytes, row_bytes);
    const GuardedBuffer group(packed_group_bytes(type.type, columns), 64);
    pack_group(group.data(), type.type, source.data(), stride, row_count, columns);

    const GuardedBuffer unpacked(columns * sizeof(float), sizeof(float));
    std::vector<float> expected(columns);
    for (uint32_t lane = 0; lane < rows_per_group; ++lane) {
        if (lane < row_count)
            dequantize_row(expected.data(), type.type, rows.data() + lane * row_bytes, columns);
        else
            std::fill(expected.begin(), expected.end(), 0.0f);
        dequantize_packed_row(unpacked.data<float>(), type.type, group.data(), lane, columns);
        const float *values = unpacked.data<float>();
        const bool equal = lane < row_count ? std::equal(expected.begin(), expected.end(), values, same_value)
                                            : std::equal(expected.begin(), expected.end(), values);
        BOOST_TEST(equal,
                   type.name << ", style " << static_cast<int>(style) << ", row " << lane << " of " << row_count);
    }
    BOOST_TEST((group.intact() && source.intact() && unpacked.intact()));
}

// Where the parts of a unit lie in a packed block, after packing.h: offsets in bytes, -1 where there is no such part.
struct Layout {
    std::string_view type;
    int header;  // bytes in front of the first unit
    int unit_bytes;
    int nibbles, bytes;    // offsets in the unit
    int ones, ones_place;  // and the lowest bit of the quant that the plane holds
    int twos, twos_place;
    int offset;  // what is subtracted from the quant
};

constexpr Layout layouts[] = {
    {"Q4_0", 32, 256, 0, -1, -1, 0, -1, 0, 8},   {"Q4_1", 64, 256, 0, -1, -1, 0, -1, 0, 0},
    {"Q5_0", 32, 320, 64, -1, 0, 4, -1, 0, 16},  {"Q5_1", 64, 320, 64, -1, 0, 4, -1, 0, 0},
    {"Q8_0", 32, 512, -1, 0, -1, 0, -1, 0, 128}, {"Q4_K", 320, 256, 0, -1, -1, 0, -1, 0, 0},
    {"Q5_K", 320, 320, 64, -1, 0, 4, -1, 0, 0},  {"Q2_K", 320, 128, -1, -1, -1, 0, 0, 0, 0},
    {"Q3_K", 288, 192, -1, -1, 128, 2, 0, 0, 4}, {"Q6_K", 288, 384, 128, -1, -1, 0, 0, 4, 32},
};

const WeightType &weight_type(std::string_view name) {
    return *std::find_if(std::begin(weight_types), std::end(weight_types),
                         [name](const WeightType &type) { return type.name == name; });
}

int quant_at(const Layout &layout, const uint8_t *unit, int lane, int e) {
    const int place = 4 * lane + e % 4;
    int q = 0;
    if (layout.nibbles >= 0) q |= unit[layout.nibbles + e % 16 / 4 * 64 + place] >> (e / 16 * 4) & 15;
    if (layout.bytes >= 0) q |= unit[layout.bytes + e / 4 * 64 + place];
    if (layout.ones >= 0) q |= (unit[layout.ones + place] >> (e / 4) & 1) << layout.ones_place;
    if (layout.twos >= 0) q |= (unit[layout.twos + e / 16 * 64 + place] >> (e % 16 / 4 * 2) & 3) << layout.twos_place;
    return q - layout.offset;
}

void check_layout(const Layout &layout) {
    const WeightType &type = weight_type(layout.type);
    Random random(1);
    const uint32_t columns = 2 * type.block_length, units = type.block_length / 32;
    const std::vector<uint8_t> rows = make_weight_rows(type, WeightStyle::ordinary, 16, columns, random);
    const size_t row_bytes = weight_row_bytes(type, columns), block_bytes = layout.header + units * layout.unit_bytes;
    BOOST_REQUIRE_EQUAL(packed_group_bytes(type.type, columns), 2 * block_bytes);
    const GuardedBuffer group(2 * block_bytes, 64);
    pack_group(group.data(), type.type, rows.data(), row_bytes, 16, columns);
    for (int lane = 0; lane < 16; ++lane) {
        const ReferenceRow row = read_reference_row(type, rows.data() + lane * row_bytes, columns);
        for (uint32_t k = 0; k < columns; ++k) {
            const uint8_t *block = group.data() + k / type.block_length * block_bytes;
            const uint8_t *unit = block + layout.header + k % type.block_length / 32 * layout.unit_bytes;
            BOOST_REQUIRE_MESSAGE(quant_at(layout, unit, lane, k % 32) == row.q[k],
                                  layout.type << ", row " << lane << ", element " << k);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(packed_rows_have_the_values_of_the_rows) {
    for (const WeightType &type : weight_types)
        for (const WeightStyle style : weight_styles)
            for (const uint32_t row_count : {1, 2, 7, 15, 16}) check_round_trip(type, style, row_count);
}

BOOST_AUTO_TEST_CASE(elements_lie_where_the_layout_says) {
    for (const Layout &layout : layouts) check_layout(layout);
}

// The kernel tests compare with this reader of rows; here it is tied to the reference of the formats.
BOOST_AUTO_TEST_CASE(the_reference_of_the_kernel_tests_reads_the_same_values) {
    Random random(5);
    for (const WeightType &type : weight_types) {
        const uint32_t columns = test_columns(type);
        const std::vector<uint8_t> bytes = make_weight_rows(type, WeightStyle::any_bits, 1, columns, random);
        std::vector<float> expected(columns);
        dequantize_row(expected.data(), type.type, bytes.data(), columns);
        const ReferenceRow row = read_reference_row(type, bytes.data(), columns);
        for (uint32_t k = 0; k < columns; ++k) {
            float value =
                row.value.empty() ? row.scale[k / row.part_length] * static_cast<float>(row.q[k]) : row.value[k];
            if (row.has_minimum) value += row.minimum[k / row.part_length];
            BOOST_REQUIRE_MESSAGE(same_value(value, expected[k]), type.name << ", element " << k);
        }
    }
}

BOOST_AUTO_TEST_CASE(types_without_a_layout_are_refused) {
    for (uint32_t number = 0; number < 64; ++number) {
        const auto type = static_cast<TensorType>(number);
        const bool known = std::any_of(std::begin(weight_types), std::end(weight_types),
                                       [type](const WeightType &known_type) { return known_type.type == type; });
        BOOST_TEST(is_packable(type) == known, number);
    }
    BOOST_CHECK_THROW(packed_group_bytes(TensorType::q8_k, 256), Error);
}
