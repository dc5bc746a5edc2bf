// The sampler against the rule of llm.h, written down a second time without its shortcuts.
#include "sampler/sampler.h"

#include "base/error.h"
#include "sampler/exponential.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace llm {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr SamplerParameters everything{.temperature = 1, .top_p = 1, .min_p = 0, .top_k = 0, .seed = 1};

std::vector<float> random_logits(size_t count, uint32_t seed, float spread) {
    std::mt19937 random(seed);
    std::vector<float> logits(count);
    for (float &logit : logits) logit = spread * (static_cast<float>(random() >> 8) / 8388608.0f - 1.0f);
    return logits;
}

// The rule of llm.h, written down the long way: everything is sorted, nothing is left out for speed.
llm_token reference_draw(const std::vector<float> &logits, const SamplerParameters &p, double uniform) {
    std::vector<llm_token> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](llm_token a, llm_token b) { return logits[a] > logits[b]; });
    if (p.top_k > 0 && static_cast<size_t>(p.top_k) < order.size()) order.resize(p.top_k);
    const auto weight = [&](llm_token token, double temperature) {
        return std::exp((double{logits[token]} - logits[order[0]]) / temperature);
    };
    double total = 0.0, sum = 0.0;
    for (const llm_token token : order) total += weight(token, 1.0);
    if (p.top_p < 1) {
        size_t kept = 0;
        do sum += weight(order[kept++], 1.0);
        while (kept < order.size() && sum < p.top_p * total);
        order.resize(kept);
    }
    while (order.size() > 1 && weight(order.back(), 1.0) < p.min_p) order.pop_back();
    total = sum = 0.0;
    for (const llm_token token : order) total += weight(token, p.temperature);
    for (const llm_token token : order)
        if ((sum += weight(token, p.temperature)) > uniform * total) return token;
    return order.back();
}

bool is_nonfinite(const Error &error) { return error.status() == LLM_ERROR_NONFINITE; }

}  // namespace

BOOST_AUTO_TEST_CASE(draws_follow_the_documented_rule) {
    const SamplerParameters cases[] = {
        everything,
        {.temperature = 0.8f, .top_p = 0.95f, .min_p = 0.05f, .top_k = 40, .seed = 7},
        {.temperature = 1.5f, .top_p = 0.9f, .min_p = 0, .top_k = 0, .seed = 8},
        {.temperature = 0.3f, .top_p = 1, .min_p = 0.01f, .top_k = 0, .seed = 9},
        {.temperature = 2, .top_p = 1, .min_p = 0, .top_k = 3, .seed = 10},
        {.temperature = 1, .top_p = 0, .min_p = 1, .top_k = 100000, .seed = 11},
        {.temperature = 1, .top_p = 0.999999f, .min_p = 0, .top_k = 0, .seed = 12},
    };
    for (const SamplerParameters &parameters : cases) {
        Sampler sampler(parameters);
        std::mt19937 random(parameters.seed);
        for (uint32_t round = 0; round < 50; ++round) {
            const std::vector<float> logits = random_logits(500 + round, round, round % 2 ? 3.0f : 40.0f);
            const double uniform = static_cast<double>(random()) / 4294967296.0;
            BOOST_TEST_CONTEXT("seed " << parameters.seed << " round " << round)
            BOOST_TEST(sampler.sample(logits) == reference_draw(logits, parameters, uniform));
        }
    }
}

BOOST_AUTO_TEST_CASE(frequencies_are_the_probabilities) {
    // Probabilities 1/2, 1/4, 1/8, 1/8.
    const std::vector<float> logits = {std::log(4.0f), std::log(2.0f), 0.0f, 0.0f};
    Sampler sampler(everything);
    std::vector<int> count(4);
    constexpr int draws = 40000;
    for (int i = 0; i < draws; ++i) ++count[sampler.sample(logits)];
    const double expected[] = {0.5, 0.25, 0.125, 0.125};
    for (int i = 0; i < 4; ++i) BOOST_TEST(std::abs(count[i] - draws * expected[i]) < 5 * std::sqrt(draws * 0.25));
}

BOOST_AUTO_TEST_CASE(temperature_zero_takes_the_lowest_of_the_best) {
    SamplerParameters greedy = everything;
    greedy.temperature = 0;
    Sampler sampler(greedy);
    BOOST_TEST(sampler.sample(std::vector<float>{1, 5, 5, -infinity}) == 1);
    BOOST_TEST(sampler.sample(std::vector<float>{-infinity, -3, -infinity}) == 1);
}

BOOST_AUTO_TEST_CASE(equal_logits_rank_by_id) {
    SamplerParameters two = everything;
    two.top_k = 2;
    Sampler sampler(two);
    const std::vector<float> logits(64, 1.0f);
    for (int i = 0; i < 100; ++i) BOOST_TEST(sampler.sample(logits) < 2);
}

BOOST_AUTO_TEST_CASE(logits_without_a_choice_are_refused) {
    Sampler sampler(everything);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    BOOST_CHECK_EXCEPTION(sampler.sample(std::vector<float>{1, nan, 2}), Error, is_nonfinite);
    BOOST_CHECK_EXCEPTION(sampler.sample(std::vector<float>{-infinity, -infinity}), Error, is_nonfinite);
    BOOST_CHECK_EXCEPTION(sampler.sample(std::vector<float>{0, infinity}), Error, is_nonfinite);
}

BOOST_AUTO_TEST_CASE(reset_and_seed_repeat_a_run) {
    const std::vector<float> logits = random_logits(1000, 3, 2.0f);
    SamplerParameters random_seed = everything;
    random_seed.seed = LLM_SEED_RANDOM;
    Sampler sampler(random_seed);
    BOOST_TEST(sampler.seed() != LLM_SEED_RANDOM);
    SamplerParameters known = everything;
    known.seed = sampler.seed();
    Sampler again(known);
    std::vector<llm_token> first, second, third;
    for (int i = 0; i < 20; ++i) first.push_back(sampler.sample(logits));
    for (int i = 0; i < 20; ++i) second.push_back(again.sample(logits));
    sampler.reset();
    for (int i = 0; i < 20; ++i) third.push_back(sampler.sample(logits));
    BOOST_TEST(first == second, boost::test_tools::per_element());
    BOOST_TEST(first == third, boost::test_tools::per_element());
    BOOST_TEST(std::count(first.begin(), first.end(), first[0]) < 20);
}

BOOST_AUTO_TEST_CASE(portable_exp_agrees_with_the_c_library) {
    double worst = 0.0;
    for (double x = -690.0; x <= 0.0; x += 0.01171875)
        worst = std::max(worst, std::abs(portable_exp(x) - std::exp(x)) / std::exp(x));
    BOOST_TEST(worst < 5e-16);
    BOOST_TEST(portable_exp(0.0) == 1.0);
    BOOST_TEST(portable_exp(-infinity) == 0.0);
}

}  // namespace llm
