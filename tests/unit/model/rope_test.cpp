// Rotary angles against their formulas.
#include "model/rope.h"

#include "base/error.h"
#include "model/graph.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

namespace llm {

namespace {

struct Angles {
    std::vector<float> cosines, sines;

    Angles(const RopeParameters &parameters, const RopeFactors &factors, uint32_t position,
           uint32_t context_length = 1000)
        : cosines(parameters.dimension_count / 2), sines(cosines.size()) {
        RopeTable table(parameters, factors);
        table.compute();
        table.angles(cosines.data(), sines.data(), position, context_length);
    }
};

constexpr auto close = [](double a, double b) { return std::abs(a - b) < 2e-6; };

}  // namespace

BOOST_AUTO_TEST_CASE(frequencies_fall_geometrically) {
    const Angles angles({.dimension_count = 8, .base = 10000}, {}, 3);
    const double expected[] = {3.0, 0.3, 0.03, 0.003};  // 3 * 10000^(-2i/8)
    for (int i = 0; i < 4; ++i) {
        BOOST_TEST(close(angles.cosines[i], std::cos(expected[i])));
        BOOST_TEST(close(angles.sines[i], std::sin(expected[i])));
    }
}

BOOST_AUTO_TEST_CASE(equal_rotations_share_a_table) {
    const float divisors[] = {1, 2, 3, 4};
    const RopeFactors factors{.usual = {divisors, "rope_freqs.weight"}, .longer = {}};
    Graph graph;
    GraphBuilder builder(graph);
    const RopeTable *table = builder.rope_table({.dimension_count = 8, .base = 10000}, {});
    BOOST_TEST(builder.rope_table({.dimension_count = 8, .base = 10000}, {}) == table);
    BOOST_TEST(builder.rope_table({.dimension_count = 8, .base = 500}, {}) != table);
    BOOST_TEST(builder.rope_table({.dimension_count = 8, .base = 10000}, factors) != table);
    BOOST_TEST(graph.rope_tables.size() == 3u);
}

BOOST_AUTO_TEST_CASE(factors_divide_and_linear_scaling_stretches) {
    const float factors[] = {1, 2};
    const Angles divided({.dimension_count = 4, .base = 100}, {{factors, "divisors"}, {}}, 4);
    BOOST_TEST(close(divided.sines[0], std::sin(4.0)));
    BOOST_TEST(close(divided.sines[1], std::sin(4.0 / 10 / 2)));
    const Angles stretched({.dimension_count = 4, .base = 100, .scaling = RopeScaling::linear, .factor = 4}, {}, 4);
    BOOST_TEST(close(stretched.sines[0], std::sin(1.0)));
    BOOST_TEST(close(stretched.sines[1], std::sin(0.1)));
}

BOOST_AUTO_TEST_CASE(yarn_keeps_fast_pairs_stretches_slow_ones_and_sharpens) {
    const RopeParameters yarn{.dimension_count = 64,
                              .base = 10000,
                              .scaling = RopeScaling::yarn,
                              .factor = 4,
                              .original_context_length = 4096};
    const Angles angles(yarn, {}, 1);
    const double magnitude = 1.0 + 0.1 * std::log(4.0);  // YaRN, section 3.4
    BOOST_TEST(close(angles.sines[0], magnitude * std::sin(1.0)));
    BOOST_TEST(close(angles.sines[31], magnitude * std::sin(std::pow(10000.0, -62.0 / 64) / 4)));
}

BOOST_AUTO_TEST_CASE(longrope_has_factors_for_contexts_beyond_the_original_one) {
    const float usual[] = {1, 2}, longer[] = {4, 8};
    const RopeParameters longrope{.dimension_count = 4,
                                  .base = 100,
                                  .scaling = RopeScaling::longrope,
                                  .original_context_length = 64,
                                  .attention_factor = 1.5f};
    const RopeFactors factors{{usual, "short"}, {longer, "long"}};
    const Angles within(longrope, factors, 4, 64), beyond(longrope, factors, 4, 65);
    BOOST_TEST(close(within.sines[0], 1.5 * std::sin(4.0)));
    BOOST_TEST(close(within.sines[1], 1.5 * std::sin(4.0 / 10 / 2)));
    BOOST_TEST(close(beyond.sines[0], 1.5 * std::sin(4.0 / 4)));
    BOOST_TEST(close(beyond.sines[1], 1.5 * std::sin(4.0 / 10 / 8)));
}

BOOST_AUTO_TEST_CASE(factors_that_are_no_divisors_are_refused) {
    for (const float bad :
         {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const float factors[] = {1, bad};
        RopeTable table({.dimension_count = 4}, {{factors, "divisors"}, {}});
        BOOST_CHECK_EXCEPTION(table.compute(), Error, [](const Error &e) { return e.status() == LLM_ERROR_MODEL; });
    }
}

}  // namespace llm
