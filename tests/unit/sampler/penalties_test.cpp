// Bias, penalties and DRY by numbers that can be checked by hand, and DRY's matches against a plain search.
#include "sampler/penalties.h"
#include "sampler/dry.h"
#include "sampler/history.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace llm::test {

namespace {

using Tokens = std::vector<llm_token>;

// What DRY with multiplier 1, base 2 takes from ten logits of 0.
std::vector<float> dry_losses(const Tokens &history, DryPenalty::Breakers breakers = {}, int32_t allowed_length = 2) {
    DryPenalty dry(1.0f, 2.0f, allowed_length);
    dry.set_breakers(std::move(breakers));
    std::vector<float> logits(10);
    dry.apply(logits, history);
    for (float &logit : logits) logit = -logit;
    return logits;
}

float loss(const Tokens &history, llm_token token, DryPenalty::Breakers breakers = {}) {
    return dry_losses(history, std::move(breakers))[static_cast<size_t>(token)];
}

}  // namespace

BOOST_AUTO_TEST_CASE(repetition_penalties) {
    const std::vector<float> logits = {2, -2, 1, 0};
    const auto penalized = [&](RepetitionPenalties penalties) {
        std::vector<float> out = logits;
        penalties.apply(out, Tokens{1, 0, 99, 1});  // 99 is not in this vocabulary
        return out;
    };
    BOOST_TEST((penalized({2, 0, 0}) == std::vector<float>{1, -4, 1, 0}));
    BOOST_TEST((penalized({1, 0.5f, 0}) == std::vector<float>{1.5f, -3, 1, 0}));
    BOOST_TEST((penalized({1, 0, 0.25f}) == std::vector<float>{1.75f, -2.25f, 1, 0}));
    BOOST_TEST((penalized({2, 0.5f, 0.25f}) == std::vector<float>{0.25f, -5.25f, 1, 0}));
    BOOST_TEST(!RepetitionPenalties(1, 0, 0).has_effect());
}

BOOST_AUTO_TEST_CASE(biases_are_added) {
    std::vector<float> logits = {0, 1, 2};
    add_logit_bias(logits, std::vector<llm_logit_bias>{{1, 0.5f}, {2, -INFINITY}, {1, -2}});
    BOOST_TEST((logits == std::vector<float>{0, -0.5f, -INFINITY}));
}

BOOST_AUTO_TEST_CASE(dry_punishes_the_longest_repetition) {
    BOOST_TEST((dry_losses({}) == std::vector<float>(10)));
    BOOST_TEST((dry_losses({1, 2, 3, 4}) == std::vector<float>(10)));
    BOOST_TEST(loss({2, 3, 9, 2}, 3) == 0.0f);              // one token is allowed to repeat
    BOOST_TEST(loss({1, 2, 3, 9, 1, 2}, 3) == 1.0f);        // two: multiplier
    BOOST_TEST(loss({5, 1, 2, 3, 9, 5, 1, 2}, 3) == 2.0f);  // three: times base
    BOOST_TEST(loss({5, 1, 2, 3, 1, 2, 4, 5, 1, 2}, 3) == 2.0f);
    BOOST_TEST(loss({5, 1, 2, 3, 1, 2, 4, 5, 1, 2}, 4) == 1.0f);
    BOOST_TEST(loss({5, 1, 2, 3, 1, 2, 3, 5, 1, 2}, 3) == 2.0f);  // the longer of two
    BOOST_TEST(loss({7, 7, 7, 7, 7}, 7) == 4.0f);                 // four sevens came before the last one
    BOOST_TEST(loss(Tokens(300, 7), 7) == 1e30f);
}

BOOST_AUTO_TEST_CASE(dry_stops_at_breakers) {
    const Tokens history = {5, 1, 2, 3, 9, 5, 1, 2};
    BOOST_TEST(loss(history, 3, {{8}}) == 2.0f);
    BOOST_TEST(loss(history, 3, {{5}}) == 1.0f);     // two tokens since the breaker
    BOOST_TEST(loss(history, 3, {{1}}) == 0.0f);     // one
    BOOST_TEST(loss(history, 3, {{5, 1}}) == 0.0f);  // a breaker of two tokens ends behind both
    BOOST_TEST(loss(history, 3, {{5, 9}}) == 2.0f);
    BOOST_TEST(loss(history, 3, {{9, 5}}) == 1.0f);
    BOOST_TEST(loss(history, 3, {{2, 4}}) == 2.0f);  // not complete
    BOOST_TEST(loss(history, 3, {{3}}) == 0.0f);     // a breaker itself has no penalty
    BOOST_TEST(loss(history, 3, {{3, 4}}) == 2.0f);
    BOOST_TEST(loss(history, 3, {{}}) == 2.0f);
}

BOOST_AUTO_TEST_CASE(dry_finds_what_a_plain_search_finds) {
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        Tokens history(random() % 60);
        for (llm_token &token : history) token = static_cast<llm_token>(random() % 3);
        const auto allowed = static_cast<int32_t>(1 + random() % 4);
        std::map<llm_token, int32_t> longest;
        for (size_t end = 1; end < history.size(); ++end) {
            const auto backwards = std::make_reverse_iterator(history.begin() + static_cast<std::ptrdiff_t>(end));
            const auto stop = std::mismatch(backwards, history.rend(), history.rbegin()).first;
            longest[history[end]] = std::max(longest[history[end]], static_cast<int32_t>(stop - backwards));
        }
        const std::vector<float> losses = dry_losses(history, {}, allowed);
        for (llm_token token = 0; token < 3; ++token) {
            const int32_t length = longest[token];
            const float expected = length >= allowed ? std::ldexp(1.0f, length - allowed) : 0.0f;
            BOOST_TEST(losses[static_cast<size_t>(token)] == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_history_has_the_last_tokens) {
    for (const size_t most : {size_t{0}, size_t{1}, size_t{7}, TokenHistory::unlimited}) {
        TokenHistory history(most);
        for (llm_token token = 0; token < 100; ++token) {
            history.append(token);
            for (const size_t wanted : {size_t{0}, size_t{1}, std::min(most, size_t{50})}) {
                const auto last = history.last(wanted);
                const size_t expected = std::min({wanted, most, static_cast<size_t>(token) + 1});
                BOOST_REQUIRE(last.size() == expected);
                for (size_t i = 0; i < expected; ++i)
                    BOOST_REQUIRE(last[i] == token - static_cast<llm_token>(expected - 1 - i));
            }
        }
        history.clear();
        BOOST_TEST(history.last(5).empty());
    }
}

}  // namespace llm::test
