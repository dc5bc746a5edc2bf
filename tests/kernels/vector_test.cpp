// Vector operations: every tier against a reference in double precision with a stated bound, and against the scalar
// tier bit for bit, for all lengths up to 100, with arrays that end where memory ends.
#include "kernels/guarded.h"
#include "kernels/kernel_table.h"

#include <boost/test/unit_test.hpp>

#include <cfloat>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace llm;
using namespace llm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr double unit = 0x1p-24;  // the relative error of one rounding

using Floats = std::vector<float>;

std::vector<uint32_t> lengths() {
    std::vector<uint32_t> all;
    for (uint32_t n = 1; n <= 100; ++n) all.push_back(n);
    for (uint32_t n : {576u, 640u, 1000u, 1537u, 4096u, 49157u}) all.push_back(n);
    return all;
}

Floats random_floats(size_t count, uint32_t seed, float spread = 3.0f) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0f, spread);
    Floats values(count);
    for (float &v : values) v = normal(random);
    return values;
}

// Ordinary numbers with extreme ones among them.
Floats wild_floats(size_t count, uint32_t seed) {
    const Floats extremes = {0.0f,    -0.0f, infinity, -infinity, not_a_number, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-41f,
                             -1e-45f, 88.8f, -88.8f,   87.4f,     -87.4f,       0.55f,   -0.55f,   1e10f,   -1e10f};
    Floats values = random_floats(count, seed);
    std::mt19937 random(seed + 1);
    for (float &v : values)
        if (random() % 4 == 0) v = extremes[random() % extremes.size()];
    return values;
}

// One operation: what it makes of its inputs, as one list of floats, with guards checked.
using Operation = std::function<Floats(const KernelTable &, uint32_t length, Place place, const Floats &a,
                                       const Floats &b, const Floats &c)>;

// Runs all tiers over all lengths and places; they must agree with the first one.
void check_tiers(const char *name, uint32_t inputs_per_length, const Operation &operation) {
    for (uint32_t n : lengths()) {
        for (uint32_t variant = 0; variant < 4; ++variant) {
            const auto make =
                variant % 2 == 0 ? [](size_t count, uint32_t seed) { return random_floats(count, seed); } : wild_floats;
            const Floats a = make(size_t{n} * inputs_per_length, 3 * n);
            const Floats b = make(n, 3 * n + 1);
            const Floats c = make(n, 3 * n + 2);
            const Floats expected = operation(*tiers()[0], n, Place::line, a, b, c);
            for (const KernelTable *table : tiers()) {
                const Floats found = operation(*table, n, variant < 2 ? Place::line : Place::page_end, a, b, c);
                const size_t at = first_difference(expected, found);
                if (at == expected.size()) continue;
                BOOST_FAIL(name << " of " << table->name << ", length " << n << ", variant " << variant << ": element "
                                << at << " is " << found[at] << ", not " << expected[at]);
            }
        }
    }
}

Floats run_binary(void (*function)(float *, const float *, uint32_t), uint32_t n, Place place, const Floats &a,
                  const Floats &b) {
    Guarded<float> out(a, place);
    Guarded<float> x(b, place);
    function(out.data(), x.data(), n);
    BOOST_REQUIRE(out.intact() && x.intact());
    return out.values();
}

double ulp(double exact) {
    int exponent;
    std::frexp(exact, &exponent);
    return std::ldexp(1.0, std::max(exponent, -125) - 24);
}

// The largest error in ulp of `function` at samples between two positive floats, or their negatives.
double worst_ulp(float from, float to, const std::function<float(float)> &function,
                 const std::function<double(double)> &exact) {
    double worst = 0;
    for (uint32_t bits = std::bit_cast<uint32_t>(std::fabs(from)); bits <= std::bit_cast<uint32_t>(std::fabs(to));
         bits += 5003) {
        const float x = std::copysign(std::bit_cast<float>(bits), to);
        const double y = exact(x);
        worst = std::max(worst, std::fabs(function(x) - y) / ulp(y));
    }
    return worst;
}

float exp_of(const KernelTable &table, float x) { return table.sum_exp(&x, 1, 0.0f); }

float tanh_of(const KernelTable &table, float x) {
    table.softcap(&x, 1, 1.0f);
    return x;
}

float activation(void (*function)(float *, const float *, uint32_t), float x) {
    const float one = 1.0f;
    function(&x, &one, 1);
    return x;
}

}  // namespace

#if defined(__x86_64__)
// Or the comparisons below would compare the scalar tier with itself.
BOOST_AUTO_TEST_CASE(every_tier_of_this_machine_is_tested) {
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
    BOOST_TEST(tiers().size() == size_t{1} + avx2 + avx512);
}
#endif

BOOST_AUTO_TEST_CASE(exp_error) {
    for (const KernelTable *table : tiers()) {
        const auto function = [&](float x) { return exp_of(*table, x); };
        const auto exact = [](double x) { return std::exp(x); };
        BOOST_TEST(worst_ulp(0.0f, 88.72283f, function, exact) < 1.0);
        BOOST_TEST(worst_ulp(-0.0f, -87.33654f, function, exact) < 1.0);
        BOOST_TEST(function(0.0f) == 1.0f);
        BOOST_TEST(function(88.72283f) < infinity);
        BOOST_TEST(function(-87.33654f) >= FLT_MIN);
        for (float x : {88.72284f, 89.0f, 1e10f, FLT_MAX, infinity}) BOOST_TEST(function(x) == infinity);
        for (float x : {-87.33655f, -88.0f, -1e10f, -FLT_MAX, -infinity})
            BOOST_TEST(std::bit_cast<uint32_t>(function(x)) == 0u);
        BOOST_TEST(std::isnan(function(not_a_number)));
        BOOST_TEST(std::isnan(function(std::bit_cast<float>(0x7f800001u))));
    }
}

BOOST_AUTO_TEST_CASE(tanh_error) {
    for (const KernelTable *table : tiers()) {
        const auto function = [&](float x) { return tanh_of(*table, x); };
        const auto exact = [](double x) { return std::tanh(x); };
        BOOST_TEST(worst_ulp(0.0f, FLT_MAX, function, exact) < 1.6);
        BOOST_TEST(worst_ulp(-0.0f, -FLT_MAX, function, exact) < 1.6);
        BOOST_TEST(same(function(-0.0f), -0.0f));
        BOOST_TEST(function(infinity) == 1.0f);
        BOOST_TEST(function(-infinity) == -1.0f);
        BOOST_TEST(std::isnan(function(not_a_number)));
    }
}

BOOST_AUTO_TEST_CASE(silu_error) {
    for (const KernelTable *table : tiers()) {
        const auto function = [&](float x) { return activation(table->silu_multiply, x); };
        const auto exact = [](double x) { return x / (1.0 + std::exp(-x)); };
        BOOST_TEST(worst_ulp(0.0f, FLT_MAX, function, exact) < 1.6);
        BOOST_TEST(worst_ulp(-0.0f, -88.0f, function, exact) < 2.5);
        for (float x : {-88.1f, -88.7f, -89.0f, -1e10f}) BOOST_TEST(std::fabs(function(x)) < 1e-36f);
    }
}

BOOST_AUTO_TEST_CASE(gelu_error) {
    const double slope = 2.0 * std::sqrt(2.0 / std::acos(-1.0));
    const auto argument = [&](double x) { return slope * (x + 0.044715 * x * x * x); };
    for (const KernelTable *table : tiers()) {
        for (float x = -11.0f; x < 30.0f; x += 0.00037f) {
            const double exact = x / (1.0 + std::exp(-argument(x)));
            // The rounding of the argument of exp counts once for each unit of its size.
            const double bound = (4.0 + 3.0 * std::max(0.0, -argument(x))) * unit * std::fabs(exact) + 1e-37;
            const double error = std::fabs(activation(table->gelu_multiply, x) - exact);
            BOOST_REQUIRE_MESSAGE(error <= bound, table->name << ": gelu(" << x << ") is off by " << error);
        }
    }
}

BOOST_AUTO_TEST_CASE(gelu_erf_error) {
    for (const KernelTable *table : tiers()) {
        const auto function = [&](float x) {
            table->gelu_erf(&x, 1);
            return x;
        };
        for (float x = -12.9f; x < 30.0f; x += 0.00037f) {
            const double exact = 0.5 * x * std::erfc(-x / std::sqrt(2.0));
            const double bound = (12.0 + double{x} * x) * unit * std::fabs(exact);
            const double error = std::fabs(function(x) - exact);
            BOOST_REQUIRE_MESSAGE(error <= bound, table->name << ": gelu_erf(" << x << ") is off by " << error);
        }
        BOOST_TEST(same(function(-0.0f), -0.0f));
        BOOST_TEST(function(infinity) == infinity);
        BOOST_TEST(std::fabs(function(-14.0f)) == 0.0f);
        BOOST_TEST(std::isnan(function(not_a_number)));
    }
}

BOOST_AUTO_TEST_CASE(elementwise_operations_agree) {
    check_tiers("add", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                   const Floats &) { return run_binary(table.add, n, place, a, b); });
    check_tiers("silu_multiply", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                   const Floats &) { return run_binary(table.silu_multiply, n, place, a, b); });
    check_tiers("gelu_multiply", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                   const Floats &) { return run_binary(table.gelu_multiply, n, place, a, b); });
    check_tiers("clamped_silu_multiply", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                   const Floats &) { return run_binary(table.clamped_silu_multiply, n, place, a, b); });
    const std::pair<const char *, void (*KernelTable::*)(float *, uint32_t)> activations[] = {
        {"silu", &KernelTable::silu}, {"gelu", &KernelTable::gelu}, {"gelu_erf", &KernelTable::gelu_erf}};
    for (const auto &[name, slot] : activations)
        check_tiers(
            name, 1,
            [slot](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &, const Floats &) {
                Guarded<float> x(a, place);
                (table.*slot)(x.data(), n);
                BOOST_REQUIRE(x.intact());
                return x.values();
            });
    check_tiers("softcap", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &, const Floats &) {
                    Guarded<float> x(a, place);
                    table.softcap(x.data(), n, 2.5f);
                    BOOST_REQUIRE(x.intact());
                    return x.values();
                });
}

BOOST_AUTO_TEST_CASE(elementwise_operations_are_right) {
    for (const KernelTable *table : tiers()) {
        Floats a = random_floats(77, 1), b = random_floats(77, 2);
        const Floats old_a = a;
        table->add(a.data(), b.data(), 77);
        for (size_t i = 0; i < a.size(); ++i) BOOST_TEST(a[i] == old_a[i] + b[i]);
        a = old_a;
        table->silu_multiply(a.data(), b.data(), 77);
        for (size_t i = 0; i < a.size(); ++i) BOOST_TEST(a[i] == activation(table->silu_multiply, old_a[i]) * b[i]);
        a = random_floats(77, 1, 8.0f);
        b = random_floats(77, 2, 8.0f);
        const Floats old_gate = a;
        table->clamped_silu_multiply(a.data(), b.data(), 77);
        for (size_t i = 0; i < a.size(); ++i) {
            const double g = std::min(old_gate[i], 7.0f), u = std::clamp(b[i], -7.0f, 7.0f) + 1.0;
            const double exact = g / (1.0 + std::exp(-1.702 * g)) * u;
            BOOST_TEST(std::fabs(a[i] - exact) <= (8 + 4 * std::fabs(g)) * unit * std::fabs(exact) + unit);
        }
        for (const bool gelu : {false, true}) {
            a = old_a;
            (gelu ? table->gelu : table->silu)(a.data(), 77);
            const auto function = gelu ? table->gelu_multiply : table->silu_multiply;
            for (size_t i = 0; i < a.size(); ++i) BOOST_TEST(a[i] == activation(function, old_a[i]));
        }
        a = old_a;
        table->softcap(a.data(), 77, 5.0f);
        for (size_t i = 0; i < a.size(); ++i)
            BOOST_TEST(std::fabs(a[i] - 5.0 * std::tanh(old_a[i] / 5.0)) <= 5 * unit * std::fabs(old_a[i]));
    }
}

BOOST_AUTO_TEST_CASE(rms_norm) {
    constexpr float epsilon = 1e-5f;
    const auto run = [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                        const Floats &) {
        Guarded<float> x(a, place), weight(b, place), out(n, place);
        table.rms_norm(out.data(), x.data(), weight.data(), n, epsilon);
        BOOST_REQUIRE(x.intact() && weight.intact() && out.intact());
        // Output over the input, as the forward pass may do.
        table.rms_norm(x.data(), x.data(), weight.data(), n, epsilon);
        BOOST_REQUIRE(first_difference(x.values(), out.values()) == n);
        return out.values();
    };
    check_tiers("rms_norm", 1, run);
    for (const KernelTable *table : tiers()) {
        for (uint32_t n : lengths()) {
            const Floats x = random_floats(n, n), weight = random_floats(n, n + 1);
            const Floats out = run(*table, n, Place::page_end, x, weight, {});
            double squares = 0;
            for (float v : x) squares += double{v} * v;
            const double factor = 1.0 / std::sqrt(squares / n + epsilon);
            for (uint32_t i = 0; i < n; ++i) {
                const double exact = x[i] * factor * weight[i];
                BOOST_REQUIRE_SMALL(out[i] - exact, (n / 32.0 + 8) * unit * std::fabs(exact));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(layer_norm) {
    constexpr float epsilon = 1e-5f;
    const auto run = [](bool biased) {
        return [biased](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                        const Floats &c) {
            Guarded<float> x(a, place), weight(b, place), bias(c, place), out(n, place);
            const float *added = biased ? bias.data() : nullptr;
            table.layer_norm(out.data(), x.data(), weight.data(), added, n, epsilon);
            BOOST_REQUIRE(x.intact() && weight.intact() && bias.intact() && out.intact());
            table.layer_norm(x.data(), x.data(), weight.data(), added, n, epsilon);
            BOOST_REQUIRE(first_difference(x.values(), out.values()) == n);
            return out.values();
        };
    };
    for (const bool biased : {false, true}) check_tiers("layer_norm", 1, run(biased));
    for (const KernelTable *table : tiers()) {
        for (uint32_t n : lengths()) {
            const Floats x = random_floats(n, n), weight = random_floats(n, n + 1), bias = random_floats(n, n + 2);
            double sum = 0, squares = 0, largest = 0;
            for (float v : x) sum += v;
            for (float v : x) squares += (v - sum / n) * (v - sum / n);
            for (float v : x) largest = std::max(largest, std::fabs(double{v}));
            const double factor = 1.0 / std::sqrt(squares / n + epsilon);
            for (const bool biased : {false, true}) {
                const Floats out = run(biased)(*table, n, Place::page_end, x, weight, bias);
                for (uint32_t i = 0; i < n; ++i) {
                    const double exact = (x[i] - sum / n) * factor * weight[i] + (biased ? bias[i] : 0.0f);
                    // The error of the mean weighs with the largest element.
                    const double size = (largest * factor + 1) * std::fabs(weight[i]) + std::fabs(bias[i]);
                    BOOST_REQUIRE_SMALL(out[i] - exact, (n / 8.0 + 16) * unit * size);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(rope) {
    const auto run = [](bool adjacent) {
        return [adjacent](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b,
                          const Floats &c) {
            Guarded<float> x(a, place), cosines(b, place), sines(c, place);
            (adjacent ? table.rope_adjacent : table.rope_halves)(x.data(), cosines.data(), sines.data(), n);
            BOOST_REQUIRE(x.intact() && cosines.intact() && sines.intact());
            return x.values();
        };
    };
    check_tiers("rope_adjacent", 2, run(true));
    check_tiers("rope_halves", 2, run(false));
    for (const KernelTable *table : tiers()) {
        for (uint32_t pairs : {1u, 7u, 16u, 32u, 40u, 100u}) {
            const Floats x = random_floats(2 * pairs, pairs), cosines = random_floats(pairs, 1),
                         sines = random_floats(pairs, 2);
            for (bool adjacent : {true, false}) {
                const Floats out = run(adjacent)(*table, pairs, Place::page_end, x, cosines, sines);
                for (uint32_t i = 0; i < pairs; ++i) {
                    const size_t at_a = adjacent ? 2 * i : i, at_b = adjacent ? 2 * i + 1 : i + pairs;
                    const double a = x[at_a], b = x[at_b], c = cosines[i], s = sines[i];
                    const double bound = 2 * unit * (std::fabs(a) + std::fabs(b)) * (std::fabs(c) + std::fabs(s));
                    BOOST_REQUIRE_SMALL(out[at_a] - (a * c - b * s), bound);
                    BOOST_REQUIRE_SMALL(out[at_b] - (a * s + b * c), bound);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(arg_max) {
    check_tiers("arg_max", 1,
                [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &, const Floats &) {
                    Guarded<float> x(a, place);
                    uint32_t expected = n;
                    for (uint32_t i = 0; i < n; ++i)
                        if (a[i] > (expected == n ? -infinity : a[expected])) expected = i;
                    BOOST_REQUIRE(table.arg_max(x.data(), n) == expected);
                    return Floats{};
                });
    for (const KernelTable *table : tiers()) {
        for (uint32_t n : {1u, 15u, 16u, 17u, 70u, 4099u}) {
            for (float nothing : {-infinity, not_a_number}) {
                Floats x(n, nothing);
                BOOST_TEST(table->arg_max(x.data(), n) == n);
                x[n / 2] = -FLT_MAX;
                BOOST_TEST(table->arg_max(x.data(), n) == n / 2);
            }
            Floats zeros(n, -0.0f);
            zeros[n - 1] = 0.0f;
            BOOST_TEST(table->arg_max(zeros.data(), n) == 0u);
            for (uint32_t i = n; i-- > 0;) {  // ties: the lowest index wins
                zeros[i] = 1.0f;
                BOOST_REQUIRE(table->arg_max(zeros.data(), n) == i);
            }
        }
        BOOST_TEST(table->arg_max(nullptr, 0) == 0u);
    }
}

BOOST_AUTO_TEST_CASE(sum_exp) {
    check_tiers(
        "sum_exp", 1,
        [](const KernelTable &table, uint32_t n, Place place, const Floats &a, const Floats &b, const Floats &) {
            Guarded<float> x(a, place);
            return Floats{table.sum_exp(x.data(), n, 1.5f), table.sum_exp(x.data(), n, b[0])};
        });
    for (const KernelTable *table : tiers()) {
        for (uint32_t n : lengths()) {
            const Floats x = random_floats(n, n);
            const float maximum = *std::max_element(x.begin(), x.end());
            double exact = 0;
            for (float v : x) exact += std::exp(double{v} - maximum);
            // The argument's rounding counts once for each unit of its size, which here is below 32.
            BOOST_REQUIRE_SMALL(table->sum_exp(x.data(), n, maximum) - exact, (n / 16.0 + 40) * unit * exact);
        }
    }
}

namespace {

struct Quantized {
    std::vector<int8_t> q;
    Floats scale;
    std::vector<int32_t> sum;
};

Quantized quantize(const KernelTable &table, const Floats &values, Place place) {
    const auto count = static_cast<uint32_t>(values.size());
    Guarded<float> x(values, place), scale(count / 32, place);
    Guarded<int8_t> q(count, place);
    Guarded<int32_t> sum(count / 16, place);
    table.quantize(q.data(), scale.data(), sum.data(), x.data(), count);
    BOOST_REQUIRE(x.intact() && scale.intact() && q.intact() && sum.intact());
    return {q.values(), scale.values(), sum.values()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(quantize_agrees_and_is_right) {
    for (uint32_t blocks : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 18u, 48u}) {
        for (uint32_t variant = 0; variant < 6; ++variant) {
            const bool wild = variant % 2 == 1;
            const Floats x = wild ? wild_floats(blocks * 32, blocks + variant)
                                  : random_floats(blocks * 32, blocks + variant, std::pow(10.0f, variant - 3.0f));
            const Quantized expected = quantize(*tiers()[0], x, Place::line);
            for (const KernelTable *table : tiers()) {
                const Quantized found = quantize(*table, x, variant < 3 ? Place::line : Place::page_end);
                BOOST_REQUIRE(found.q == expected.q);
                BOOST_REQUIRE(found.sum == expected.sum);
                BOOST_REQUIRE(first_difference(found.scale, expected.scale) == blocks);
            }
            for (uint32_t i = 0; i < blocks * 32 && !wild; ++i) {
                float largest = 0;
                for (uint32_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) largest = std::max(largest, std::fabs(x[k]));
                BOOST_REQUIRE_SMALL(expected.scale[i / 32] - largest / 127.0, unit * largest / 127.0);
                BOOST_REQUIRE_SMALL(expected.q[i] - x[i] * 127.0 / largest, 0.5 + 127 * 3 * unit);
            }
            for (uint32_t i = 0; i < blocks * 2; ++i) {
                int32_t sum = 0;
                for (uint32_t k = i * 16; k < i * 16 + 16; ++k) sum += expected.q[k];
                BOOST_REQUIRE(expected.sum[i] == sum);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(quantize_special_blocks) {
    for (const KernelTable *table : tiers()) {
        Floats ties(32);
        for (int i = 0; i < 32; ++i) ties[i] = static_cast<float>(i) - 15.5f;
        ties[31] = 127.0f;
        const Quantized rounded = quantize(*table, ties, Place::page_end);
        BOOST_TEST(rounded.scale[0] == 1.0f);
        for (int i = 0; i < 31; ++i) {
            BOOST_TEST(rounded.q[i] % 2 == 0);
            BOOST_TEST(std::abs(rounded.q[i] - ties[i]) == 0.5f);
        }
        for (float special : {0.0f, infinity, -infinity, not_a_number, -not_a_number, 1e-37f, 1e-45f}) {
            for (uint32_t place : {0u, 13u, 16u, 31u}) {
                Floats x(32, special == 0.0f || std::fabs(special) < 1e-30f ? 0.0f : 3.0f);
                x[place] = special;
                const Quantized found = quantize(*table, x, Place::page_end);
                BOOST_TEST(same(found.scale[0], std::fabs(special)));
                for (int8_t q : found.q) BOOST_TEST(q == 0);
                BOOST_TEST((found.sum == std::vector<int32_t>{0, 0}));
            }
        }
    }
}
