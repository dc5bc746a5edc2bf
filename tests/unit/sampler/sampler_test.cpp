// The whole chain, and what a sampler remembers.
#include "sampler/sampler.h"

#include "base/error.h"
#include "reference_chain.h"

#include <boost/test/unit_test.hpp>

#include <random>

namespace llm::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Change>
llm_sampler_options options_with(Change change) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.temperature = options.top_p = 1.0f;
    options.min_p = 0.0f;
    options.top_k = 0;
    options.seed = 1;
    change(options);
    return options;
}

const llm_sampler_options everything = options_with([](auto &) {});

std::vector<float> random_logits(size_t count, uint32_t seed, float spread) {
    std::mt19937 random(seed);
    std::vector<float> logits(count);
    for (float &logit : logits) logit = spread * (static_cast<float>(random() >> 8) / 8388608.0f - 1.0f);
    return logits;
}

// One of some values, which have the extremes among them.
template <class T>
T one_of(std::mt19937 &random, std::initializer_list<T> values) {
    return values.begin()[random() % values.size()];
}

// Settings that switch each sampler on now and then.
llm_sampler_options random_options(std::mt19937 &random) {
    llm_sampler_options o = everything;
    o.seed = random();
    o.temperature = one_of(random, {1.0f, 0.7f, 1.6f, 1.0f, 0.2f});
    o.top_p = one_of(random, {1.0f, 1.0f, 0.95f, 0.3f, 0.0f});
    o.min_p = one_of(random, {0.0f, 0.0f, 0.05f, 0.4f, 1.0f});
    o.top_k = one_of(random, {0, 0, 40, 1, 1000000});
    o.typical_p = one_of(random, {1.0f, 1.0f, 1.0f, 0.9f, 0.2f});
    o.top_n_sigma = one_of(random, {0.0f, 0.0f, 0.0f, 1.0f, 2.5f});
    o.xtc_probability = one_of(random, {0.0f, 0.0f, 0.0f, 0.5f, 1.0f});
    o.xtc_threshold = one_of(random, {0.1f, 0.02f, 0.6f});
    o.dynatemp_range = one_of(random, {0.0f, 0.0f, 0.0f, 0.5f, 2.0f});
    o.dynatemp_exponent = one_of(random, {1.0f, 0.5f, 3.0f});
    o.repeat_last_n = one_of(random, {64, -1, 0, 5});
    o.repeat_penalty = one_of(random, {1.0f, 1.0f, 1.3f, 0.7f});
    o.frequency_penalty = one_of(random, {0.0f, 0.0f, 0.3f, -0.2f});
    o.presence_penalty = one_of(random, {0.0f, 0.0f, 0.4f, -0.3f});
    o.dry_multiplier = one_of(random, {0.0f, 0.0f, 0.8f});
    o.dry_base = one_of(random, {1.75f, 1.0f, 3.0f});
    o.dry_allowed_length = one_of(random, {2, 0, 1, 5});
    o.dry_penalty_last_n = one_of(random, {-1, 0, 20});
    o.mirostat = one_of(random, {0, 0, 0, 0, 0, 2});
    o.mirostat_tau = one_of(random, {5.0f, 1.3f});
    o.min_keep = one_of(random, {0, 0, 1, 3, 50});
    static const char *const no_breakers[1] = {};
    o.dry_breakers = no_breakers;
    return o;
}

bool has_status(const Error &error, llm_status status) { return error.status() == status; }

}  // namespace

BOOST_AUTO_TEST_CASE(the_chain_leaves_what_its_description_says) {
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
        const llm_sampler_options options = random_options(random);
        const std::vector<float> logits =
            random_logits(1 + random() % 700, random(), one_of(random, {1.0f, 5.0f, 30.0f}));
        const llm_token tokens = std::min<llm_token>(6, static_cast<llm_token>(logits.size()));
        std::vector<llm_token> history(random() % 80);
        for (llm_token &token : history) token = static_cast<llm_token>(random()) & 0x7FFFFFFF;
        for (llm_token &token : history) token %= tokens;
        std::mt19937 numbers(options.seed);
        const auto uniform = [&] { return static_cast<double>(numbers()) / 4294967296.0; };
        const double for_xtc = options.xtc_probability > 0 && options.mirostat == 0 ? uniform() : 1.0;
        const ReferenceChain expected(options, logits, history, for_xtc);

        Sampler sampler(options);
        sampler.accept(history);
        Sampler same = sampler;
        BOOST_TEST_CONTEXT("round " << round) {
            const Candidates &left = sampler.filter(logits);
            BOOST_REQUIRE(left.size() == expected.items().size());
            std::map<llm_token, double> probabilities;
            for (const Candidate &item : left) probabilities[item.token] = item.weight / left.total_weight();
            for (const auto &item : expected.items())
                BOOST_REQUIRE(std::abs(probabilities.at(item.token) - item.probability) < 1e-6);
            BOOST_REQUIRE(same.sample(logits) == expected.draw(uniform()));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_order_of_the_chain_matters) {
    // Top-k before top-p: 0.4 of what top-k left is one token; 0.4 of all would be four, of which top-k would keep two.
    const std::vector<float> logits(10, 0.0f);
    Sampler sampler(options_with([](auto &o) { o.top_k = 2, o.top_p = 0.4f; }));
    BOOST_TEST(sampler.filter(logits).size() == 1u);
    // Min-p and XTC before the temperature, which would make all alike.
    const std::vector<float> steep = {4.0f, 3.9f, 0.0f, -0.1f};
    Sampler hot(options_with([](auto &o) { o.min_p = 0.1f, o.temperature = 100.0f; }));
    BOOST_TEST(hot.filter(steep).size() == 2u);
    // XTC behind min-p: two top choices are left of which one goes; before it, all but one of the four would go.
    Sampler excluding(options_with([](auto &o) { o.min_p = 0.1f, o.xtc_probability = 1, o.xtc_threshold = 0.005f; }));
    BOOST_TEST(excluding.filter(steep).size() == 1u);
    BOOST_TEST(excluding.filter(steep)[0].token == 1);
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
    Sampler sampler(options_with([](auto &o) { o.temperature = 0; }));
    BOOST_TEST(sampler.sample(std::vector<float>{1, 5, 5, -infinity}) == 1);
    BOOST_TEST(sampler.sample(std::vector<float>{-infinity, -3, -infinity}) == 1);
}

BOOST_AUTO_TEST_CASE(equal_logits_rank_by_id) {
    Sampler sampler(options_with([](auto &o) { o.top_k = 2; }));
    const std::vector<float> logits(64, 1.0f);
    for (int i = 0; i < 100; ++i) BOOST_TEST(sampler.sample(logits) < 2);
}

BOOST_AUTO_TEST_CASE(logits_without_a_choice_are_refused_and_change_nothing) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto nonfinite = [](const Error &error) { return has_status(error, LLM_ERROR_NONFINITE); };
    for (const auto &options : {everything, options_with([](auto &o) { o.top_k = 40, o.repeat_penalty = 1.1f; }),
                                options_with([](auto &o) { o.mirostat = 2; })}) {
        Sampler sampler(options), untouched(options);
        for (size_t at : {0, 1, 17, 300, 799}) {
            std::vector<float> logits = random_logits(800, 1, 1);
            for (const float bad : {nan, -nan, infinity}) {
                logits[at] = bad;
                BOOST_CHECK_EXCEPTION(sampler.sample(logits), Error, nonfinite);
            }
        }
        BOOST_CHECK_EXCEPTION(sampler.sample(std::vector<float>{-infinity, -infinity}), Error, nonfinite);
        const std::vector<float> logits = random_logits(800, 2, 1);
        for (int i = 0; i < 10; ++i) BOOST_TEST(sampler.sample(logits) == untouched.sample(logits));
    }
}

BOOST_AUTO_TEST_CASE(a_banned_token_is_never_drawn) {
    const llm_logit_bias bans[] = {{0, -infinity}, {2, -infinity}};
    Sampler sampler(options_with([&](auto &o) { o.logit_bias = bans, o.logit_bias_count = 2; }));
    const std::vector<float> logits = {50.0f, 0.0f, 60.0f};
    for (int i = 0; i < 50; ++i) BOOST_TEST(sampler.sample(logits) == 1);
    const auto wrong = [](const Error &error) { return has_status(error, LLM_ERROR_ARGUMENT); };
    BOOST_CHECK_EXCEPTION(sampler.sample(std::vector<float>{0, 0}), Error, wrong);
}

BOOST_AUTO_TEST_CASE(reset_and_seed_repeat_a_run) {
    const std::vector<float> logits = random_logits(1000, 3, 2.0f);
    Sampler sampler(options_with([](auto &o) { o.seed = LLM_SEED_RANDOM, o.presence_penalty = 0.5f, o.mirostat = 2; }));
    BOOST_TEST(sampler.seed() != LLM_SEED_RANDOM);
    const uint32_t seed = sampler.seed();
    Sampler again(options_with([=](auto &o) { o.seed = seed, o.presence_penalty = 0.5f, o.mirostat = 2; }));
    std::vector<llm_token> first, second, third;
    for (int i = 0; i < 20; ++i) first.push_back(sampler.sample(logits));
    for (int i = 0; i < 20; ++i) second.push_back(again.sample(logits));
    sampler.reset();
    for (int i = 0; i < 20; ++i) third.push_back(sampler.sample(logits));
    BOOST_TEST(first == second, boost::test_tools::per_element());
    BOOST_TEST(first == third, boost::test_tools::per_element());
    BOOST_TEST(std::count(first.begin(), first.end(), first[0]) < 20);
}

BOOST_AUTO_TEST_CASE(a_copy_goes_on_as_the_original) {
    std::mt19937 random(8);
    for (int round = 0; round < 50; ++round) {
        Sampler original(random_options(random));
        for (uint32_t i = 0; i < 10; ++i) original.sample(random_logits(100, i, 3));
        Sampler copy = original;
        std::vector<llm_token> first, second;
        for (uint32_t i = 0; i < 10; ++i) first.push_back(original.sample(random_logits(100, i, 3)));
        for (uint32_t i = 0; i < 10; ++i) second.push_back(copy.sample(random_logits(100, i, 3)));
        BOOST_TEST(first == second, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(only_so_many_tokens_are_remembered) {
    Sampler sampler(options_with([](auto &o) { o.repeat_last_n = 3, o.presence_penalty = 100, o.temperature = 0; }));
    // Each token is out of the question for three steps: the four best take turns.
    const std::vector<float> logits = {1, 5, 4, 3, 2};
    for (const llm_token expected : {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4})
        BOOST_TEST(sampler.sample(logits) == expected);
}

BOOST_AUTO_TEST_CASE(every_extreme_gives_a_token) {
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        llm_sampler_options o = random_options(random);
        o.temperature = one_of(random, {0.0f, 1e-38f, 1e-3f, 1000.0f});
        o.dynatemp_range = one_of(random, {0.0f, 1e-38f, 1000.0f});
        o.dynatemp_exponent = one_of(random, {0.0f, 1000.0f});
        o.repeat_penalty = one_of(random, {0.01f, 1000.0f, 1.0f});
        o.dry_multiplier = one_of(random, {0.0f, 1000.0f});
        o.dry_base = one_of(random, {1.0f, 1000.0f});
        o.xtc_threshold = one_of(random, {0.0f, 1.0f, 0.1f});
        o.top_n_sigma = one_of(random, {0.0f, 1e-38f, 1000.0f});
        o.mirostat_tau = one_of(random, {0.0f, 1000.0f});
        o.mirostat_eta = one_of(random, {0.0f, 1.0f});
        Sampler sampler(o);
        std::vector<float> logits =
            random_logits(1 + random() % 300, random(), one_of(random, {0.0f, 1e-30f, 1e4f, 1e30f}));
        for (float &logit : logits)
            if (random() % 3 == 0 && &logit != &logits[0]) logit = -infinity;
        for (int i = 0; i < 8; ++i) {
            const llm_token token = sampler.sample(logits);
            BOOST_REQUIRE((token >= 0 && static_cast<size_t>(token) < logits.size()));
            BOOST_REQUIRE(std::isfinite(logits[token]));
        }
    }
}

}  // namespace llm::test
