// Every matrix product of every tier gives exactly the bits of the reference, for many shapes and extreme contents,
// and touches nothing but what it is given.
#include "kernels/kernel_table.h"
#include "kernels/matmul_reference.h"
#include "quant/packing.h"
#include "support/guarded_buffer.h"
#include "support/weight_rows.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace llm;
using namespace llm::test;

enum class ActivationStyle { ordinary, largest, zero, subnormal, not_finite };
constexpr ActivationStyle activation_styles[] = {ActivationStyle::ordinary, ActivationStyle::largest,
                                                 ActivationStyle::zero, ActivationStyle::subnormal,
                                                 ActivationStyle::not_finite};

struct Case {
    const WeightType *type;
    uint32_t rows, columns, tokens;
    WeightStyle weights;
    ActivationStyle activations;
    uint32_t seed;
};

std::string describe(const char *tier, const Case &c) {
    std::ostringstream text;
    text << "type " << c.type->name << ", tier " << tier << ", rows " << c.rows << ", columns " << c.columns
         << ", tokens " << c.tokens << ", weight style " << static_cast<int>(c.weights) << ", activation style "
         << static_cast<int>(c.activations) << ", seed " << c.seed;
    return text.str();
}

float random_float(Random &random, int least_exponent, int greatest_exponent) {
    const int exponent = least_exponent + static_cast<int>(random() % (greatest_exponent - least_exponent + 1));
    const float magnitude = std::ldexp(1.0f + static_cast<float>(random() % 0x800000) / 0x800000, exponent);
    return random() & 1 ? -magnitude : magnitude;
}

float activation_float(ActivationStyle style, Random &random) {
    switch (style) {
        case ActivationStyle::ordinary:
            return random_float(random, -12, 3);
        case ActivationStyle::largest:
            return random() & 1 ? 0x1.fffffep127f : -0x1.fffffep127f;
        case ActivationStyle::zero:
            return random() & 1 ? -0.0f : 0.0f;
        case ActivationStyle::subnormal:
            return random_float(random, -149, -127);
        case ActivationStyle::not_finite:
            break;
    }
    const uint32_t choice = random() % 64;
    if (choice == 0) return INFINITY;
    if (choice == 1) return NAN;
    return random_float(random, -12, 3);
}

int8_t activation_quant(ActivationStyle style, Random &random) {
    if (style == ActivationStyle::largest) return random() & 1 ? 127 : -127;
    if (style == ActivationStyle::zero) return 0;
    return static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
}

// The scale of a group of 32; a group whose scale is not finite has quants of 0.
float activation_scale(ActivationStyle style, Random &random) {
    switch (style) {
        case ActivationStyle::ordinary:
            return std::fabs(random_float(random, -15, -3));
        case ActivationStyle::largest:
            return 0x1p120f;
        case ActivationStyle::zero:
            return 0;
        case ActivationStyle::subnormal:
            return std::fabs(random_float(random, -149, -127));
        case ActivationStyle::not_finite:
            break;
    }
    const uint32_t choice = random() % 16;
    return choice == 0 ? INFINITY : choice == 1 ? NAN : 0x1p-7f;
}

// The inputs of one product and what must come out.
class Problem {
public:
    explicit Problem(const Case &c)
        : case_(c),
          weights_(packed_group_bytes(c.type->type, c.columns) * group_count(), 64),
          q_(size_t{c.tokens} * c.columns, 1),
          scale_(size_t{c.tokens} * (c.columns / 32) * sizeof(float), 1),
          sum_(size_t{c.tokens} * (c.columns / 16) * sizeof(int32_t), 1),
          x_float_(size_t{c.tokens} * c.columns * sizeof(float), 1) {
        Random random(c.seed);
        make_activations(random);
        make_weights(random);
    }

    void check(const KernelTable &table) const;

private:
    uint32_t group_count() const { return (case_.rows + 15) / 16; }
    bool is_quantized() const { return case_.type->block_length > 1; }
    void make_activations(Random &random);
    void make_weights(Random &random);
    MatmulArgs args() const;

    Case case_;
    GuardedBuffer weights_, q_, scale_, sum_, x_float_;
    std::vector<float> expected_;  // [token][row]
};

void Problem::make_activations(Random &random) {
    const size_t count = size_t{case_.tokens} * case_.columns;
    if (!is_quantized()) {
        for (size_t i = 0; i < count; ++i) x_float_.data<float>()[i] = activation_float(case_.activations, random);
        return;
    }
    for (size_t group = 0; group < count / 32; ++group) {
        const float scale = activation_scale(case_.activations, random);
        scale_.data<float>()[group] = scale;
        for (size_t half = 2 * group; half < 2 * group + 2; ++half) {
            int32_t sum = 0;
            for (size_t i = 16 * half; i < 16 * half + 16; ++i) {
                const int8_t q = std::isfinite(scale) ? activation_quant(case_.activations, random) : int8_t{0};
                q_.data<int8_t>()[i] = q;
                sum += q;
            }
            sum_.data<int32_t>()[half] = sum;
        }
    }
}

void Problem::make_weights(Random &random) {
    const WeightType &type = *case_.type;
    const std::vector<uint8_t> rows = make_weight_rows(type, case_.weights, case_.rows, case_.columns, random);
    const size_t row_bytes = weight_row_bytes(type, case_.columns);
    for (uint32_t group = 0; group < group_count(); ++group) {
        pack_group(weights_.data() + group * packed_group_bytes(type.type, case_.columns), type.type,
                   rows.data() + size_t{group} * rows_per_group * row_bytes, row_bytes,
                   std::min(rows_per_group, case_.rows - group * rows_per_group), case_.columns);
    }
    expected_.resize(size_t{case_.tokens} * case_.rows);
    for (uint32_t r = 0; r < case_.rows; ++r) {
        const ReferenceRow row = read_reference_row(type, rows.data() + r * row_bytes, case_.columns);
        for (uint32_t t = 0; t < case_.tokens; ++t) {
            const ReferenceToken token{q_.data<int8_t>() + size_t{t} * case_.columns,
                                       scale_.data<float>() + size_t{t} * (case_.columns / 32),
                                       x_float_.data<float>() + size_t{t} * case_.columns};
            expected_[size_t{t} * case_.rows + r] = reference_product(row, token, case_.columns);
        }
    }
}

MatmulArgs Problem::args() const {
    MatmulArgs args = {};
    args.weights = weights_.data();
    args.group_count = group_count();
    args.columns = case_.columns;
    args.token_count = case_.tokens;
    if (is_quantized()) args.x = {q_.data<int8_t>(), scale_.data<float>(), sum_.data<int32_t>()};
    if (!is_quantized()) args.x_float = x_float_.data<float>();
    return args;
}

bool same_bits(float a, float b) {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

// What a product is added to.
float before(uint32_t token, uint32_t row) {
    Random random(token * 1000 + row);
    return random_float(random, -12, 3);
}

void Problem::check(const KernelTable &table) const {
    const size_t written = size_t{group_count()} * rows_per_group;  // floats of each token
    const size_t stride = written + case_.seed % 3 * 5;
    const GuardedBuffer out(((case_.tokens - 1) * stride + written) * sizeof(float), sizeof(float));
    const bool adds = case_.seed % 2 == 1;
    const GuardedBuffer sum(adds ? out.size() : 0, sizeof(float));
    const GuardedBuffer scratch(table.matmul_scratch_bytes(case_.columns), 64);
    const float untouched = std::bit_cast<float>(0xa5a5a5a5u);
    std::fill_n(out.data<float>(), out.size() / sizeof(float), untouched);

    MatmulArgs call = args();
    call.out = out.data<float>();
    call.out_stride = stride;
    call.scratch = scratch.data();
    if (adds) {
        call.add_to = sum.data<float>();
        call.add_stride = stride;
        std::fill_n(sum.data<float>(), sum.size() / sizeof(float), untouched);
        for (uint32_t t = 0; t < case_.tokens; ++t)
            for (uint32_t r = 0; r < written; ++r) sum.data<float>()[t * stride + r] = before(t, r);
    }
    table.matmul[static_cast<uint32_t>(case_.type->type)](call);

    size_t wrong = 0;
    std::ostringstream first;
    for (uint32_t t = 0; t < case_.tokens; ++t) {
        const float *row = (adds ? sum : out).data<float>() + t * stride;
        for (uint32_t r = 0; r < case_.rows; ++r) {
            const float product = expected_[size_t{t} * case_.rows + r];
            const float expected = adds ? before(t, r) + product : product;
            if (same_bits(row[r], expected) || wrong++ != 0) continue;
            first << "token " << t << ", row " << r << ": " << std::hexfloat << row[r] << " instead of " << expected;
        }
        for (size_t r = written; t + 1 < case_.tokens && r < stride; ++r)
            BOOST_REQUIRE_MESSAGE(same_bits(row[r], untouched), "wrote between rows: " << describe(table.name, case_));
    }
    BOOST_CHECK_MESSAGE(wrong == 0, wrong << " wrong sums; " << first.str() << "; " << describe(table.name, case_));
    for (const GuardedBuffer *buffer : {&weights_, &q_, &scale_, &sum_, &x_float_, &out, &sum, &scratch})
        BOOST_CHECK_MESSAGE(buffer->intact(), "wrote outside a buffer: " << describe(table.name, case_));
}

// ---- The cases ------------------------------------------------------------------------------------------------------

std::vector<uint32_t> column_counts(const WeightType &type) {
    if (type.block_length == 256) return {256, 768, 1280, 2816};
    if (type.block_length == 32) return {32, 96, 160, 352, 2880};
    return {1, 31, 32, 33, 96, 577, 2880};
}

constexpr uint32_t token_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 31, 32, 33, 100};
constexpr uint32_t row_counts[] = {1, 16, 17, 32, 33, 48, 53, 64, 70};

// Calls `check` with every token count and width; rows and contents take turns.
template <class Check>
void for_each_shape(const WeightType &type, Check check) {
    uint32_t turn = 0;
    for (const uint32_t tokens : token_counts) {
        for (const uint32_t columns : column_counts(type)) {
            const uint32_t rows = row_counts[turn % std::size(row_counts)];
            const auto style =
                turn % 4 == 3 ? weight_styles[turn / 4 % std::size(weight_styles)] : WeightStyle::ordinary;
            check(Case{&type, rows, columns, tokens, style, ActivationStyle::ordinary, turn});
            ++turn;
        }
    }
}

// Calls `check` with every number of rows up to 70.
template <class Check>
void for_each_row_count(const WeightType &type, Check check) {
    for (uint32_t rows = 1; rows <= 70; ++rows) {
        const uint32_t columns = column_counts(type)[rows % 2];
        check(Case{&type, rows, columns, 1 + rows % 7, WeightStyle::ordinary, ActivationStyle::ordinary, 1000 + rows});
    }
}

// Calls `check` with every pair of contents, on shapes that reach the kernels for few and for many tokens.
template <class Check>
void for_each_style(const WeightType &type, Check check) {
    for (const WeightStyle weights : weight_styles)
        for (const ActivationStyle activations : activation_styles)
            for (const uint32_t tokens : {1u, 3u, 37u})
                check(Case{&type, 35, column_counts(type)[1], tokens, weights, activations, 2000 + tokens});
}

// Calls `check` with rows that are longer than kernels take at once.
template <class Check>
void for_each_long_row(const WeightType &type, Check check) {
    const uint32_t columns = type.block_length == 256 ? 8448 : 8224;
    for (const uint32_t tokens : {1u, 2u, 13u, 14u})
        check(Case{&type, 20, columns, tokens, WeightStyle::ordinary, ActivationStyle::ordinary, 3000 + tokens});
}

void check_tier(const char *name) {
    const KernelTable *table = kernel_table(name);
    if (table == nullptr) {
        BOOST_TEST_MESSAGE("this machine or build has no tier " << name);
        return;
    }
    for (const WeightType &type : weight_types) {
        BOOST_REQUIRE_MESSAGE(table->matmul[static_cast<uint32_t>(type.type)] != nullptr,
                              "no kernel for " << type.name);
        const auto check = [&](const Case &c) { Problem(c).check(*table); };
        for_each_shape(type, check);
        for_each_row_count(type, check);
        for_each_style(type, check);
        for_each_long_row(type, check);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(scalar) { check_tier("scalar"); }
BOOST_AUTO_TEST_CASE(avx2) { check_tier("avx2"); }
BOOST_AUTO_TEST_CASE(avx512) { check_tier("avx512"); }

BOOST_AUTO_TEST_CASE(every_packable_type_and_no_other_has_a_kernel) {
    for (const char *name : {"scalar", "avx2", "avx512"}) {
        const KernelTable *table = kernel_table(name);
        for (uint32_t type = 0; table != nullptr && type < tensor_type_slots; ++type)
            BOOST_CHECK_EQUAL(table->matmul[type] != nullptr, is_packable(static_cast<TensorType>(type)));
    }
}
