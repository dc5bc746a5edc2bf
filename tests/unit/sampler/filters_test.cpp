// Each filter by numbers that can be checked by hand.
#include "sampler/filters.h"
#include "sampler/mirostat.h"
#include "sampler/temperature.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace llm::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Probabilities 1/2, 1/4, 1/8, 1/8, whose information is 1, 2, 3 and 3 bits: 1.75 bits on average.
const std::vector<float> halves = {std::log(4.0f), std::log(2.0f), 0.0f, 0.0f};

Candidates candidates_of(const std::vector<float> &logits) {
    LogitScan scan;
    scan.read(logits);
    Candidates candidates;
    candidates.take(scan, Candidates::any_logit);
    return candidates;
}

// The tokens that filter(candidates) leaves of the halves.
template <class Filter>
std::vector<llm_token> left(Filter filter) {
    Candidates candidates = candidates_of(halves);
    filter(candidates);
    std::vector<llm_token> tokens;
    for (const Candidate &candidate : candidates) tokens.push_back(candidate.token);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
}

using Tokens = std::vector<llm_token>;

}  // namespace

BOOST_AUTO_TEST_CASE(top_p) {
    const auto kept = [](float p, size_t least) { return left([=](Candidates &c) { keep_top_p(c, p, least); }); };
    BOOST_TEST((kept(0.0f, 0) == Tokens{0}));
    BOOST_TEST((kept(0.4f, 0) == Tokens{0}));
    BOOST_TEST((kept(0.6f, 0) == Tokens{0, 1}));
    BOOST_TEST((kept(0.8f, 0) == Tokens{0, 1, 2}));
    BOOST_TEST((kept(0.9f, 0) == Tokens{0, 1, 2, 3}));
    BOOST_TEST((kept(0.1f, 3) == Tokens{0, 1, 2}));
    BOOST_TEST((kept(0.1f, 9) == Tokens{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(min_p) {
    const auto kept = [](float p, size_t least) { return left([=](Candidates &c) { keep_min_p(c, p, least); }); };
    BOOST_TEST((kept(1.0f, 0) == Tokens{0}));
    BOOST_TEST((kept(0.6f, 0) == Tokens{0}));
    BOOST_TEST((kept(0.4f, 0) == Tokens{0, 1}));
    BOOST_TEST((kept(0.2f, 0) == Tokens{0, 1, 2, 3}));
    BOOST_TEST((kept(0.6f, 3) == Tokens{0, 1, 2}));
    BOOST_TEST((kept(0.6f, 9) == Tokens{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(typical) {
    // Differences from 1.75 bits: 0.75, 0.25, 1.25, 1.25.
    const auto kept = [](float p, size_t least) { return left([=](Candidates &c) { keep_typical(c, p, least); }); };
    BOOST_TEST((kept(0.0f, 0) == Tokens{1}));
    BOOST_TEST((kept(0.2f, 0) == Tokens{1}));
    BOOST_TEST((kept(0.3f, 0) == Tokens{0, 1}));
    BOOST_TEST((kept(0.8f, 0) == Tokens{0, 1, 2}));
    BOOST_TEST((kept(0.9f, 0) == Tokens{0, 1, 2, 3}));
    BOOST_TEST((kept(0.1f, 3) == Tokens{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(top_n_sigma) {
    // Mean 2, variance 2; minus infinity does not count.
    for (const auto &logits : {std::vector<float>{4, 2, 2, 0}, std::vector<float>{-infinity, 4, 2, 2, 0, -infinity}}) {
        BOOST_TEST(std::abs(top_n_sigma_bound(logits, 4, 1) - 2.5857864f) < 1e-6f);
        BOOST_TEST(std::abs(top_n_sigma_bound(logits, 4, 2) - 1.1715729f) < 1e-6f);
    }
    std::vector<float> many(1001, 1.0f);
    for (size_t i = 0; i < 500; ++i) many[i] = 3.0f;
    many[500] = 2.0f;  // 500 ones, 500 threes, a two: mean 2, variance 1000/1001
    BOOST_TEST(std::abs(top_n_sigma_bound(many, 3, 1) - (3.0f - std::sqrt(1000.0f / 1001.0f))) < 1e-6f);
}

BOOST_AUTO_TEST_CASE(xtc) {
    const auto kept = [](float p, size_t least) {
        return left([=](Candidates &c) { exclude_top_choices(c, p, least); });
    };
    BOOST_TEST((kept(0.6f, 0) == Tokens{0, 1, 2, 3}));
    BOOST_TEST((kept(0.3f, 0) == Tokens{0, 1, 2, 3}));  // one top choice stays
    BOOST_TEST((kept(0.2f, 0) == Tokens{1, 2, 3}));
    BOOST_TEST((kept(0.1f, 0) == Tokens{3}));
    BOOST_TEST((kept(0.2f, 3) == Tokens{1, 2, 3}));
    BOOST_TEST((kept(0.2f, 4) == Tokens{0, 1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(mirostat) {
    Mirostat sampler(1.2f, 1.0f);
    const auto kept = [&] { return left([&](Candidates &c) { sampler.cut(c); }); };
    BOOST_TEST((kept() == Tokens{0, 1}));  // the limit is 2.4 bits
    sampler.observe(1.0);                  // no surprise: 3.6
    BOOST_TEST((kept() == Tokens{0, 1, 2, 3}));
    sampler.observe(0.0625);  // 4 bits, 2.8 more than wanted: 0.8
    BOOST_TEST((kept() == Tokens{0}));
    sampler.observe(0.0009765625);  // 10 bits: below 0
    BOOST_TEST((kept() == Tokens{0}));
    sampler.reset();
    BOOST_TEST((kept() == Tokens{0, 1}));
}

BOOST_AUTO_TEST_CASE(dynamic_temperature_follows_the_entropy) {
    const Candidates some = candidates_of(halves);  // 1.75 of at most 2 bits
    BOOST_TEST(std::abs(dynamic_temperature(some, 1, 0.5f, 1) - (0.5 + 0.875)) < 1e-6);
    BOOST_TEST(std::abs(dynamic_temperature(some, 1, 0.5f, 2) - (0.5 + 0.765625)) < 1e-6);
    BOOST_TEST(std::abs(dynamic_temperature(some, 1, 2, 1) - 3 * 0.875) < 1e-6);  // from 0 to 3
    BOOST_TEST(std::abs(dynamic_temperature(candidates_of({5, 5, 5}), 1, 0.5f, 3) - 1.5) < 1e-12);
    BOOST_TEST(std::abs(dynamic_temperature(candidates_of({0, -650}), 1, 0.5f, 1) - 0.5) < 1e-12);
    BOOST_TEST(dynamic_temperature(candidates_of({3}), 0.7f, 0.5f, 1) == 0.7f);
}

BOOST_AUTO_TEST_CASE(candidates_are_those_of_a_full_sort) {
    std::mt19937 random(1);
    for (const size_t length : {1, 15, 16, 17, 255, 256, 257, 511, 5000, 40000}) {
        std::vector<float> logits(length);
        for (float &logit : logits) logit = static_cast<float>(random() % 1000) / 7.0f - 70.0f;  // with many equals
        for (size_t i = 1; i < length; i += 5) logits[i] = -infinity;
        std::vector<Candidate> sorted;
        for (size_t i = 0; i < length; ++i)
            if (logits[i] > -infinity) sorted.push_back({logits[i], static_cast<llm_token>(i), 0});
        std::sort(sorted.begin(), sorted.end(), ranks_before);
        LogitScan scan;
        scan.read(logits);
        BOOST_TEST(scan.maximum() == sorted[0].logit);
        for (const size_t count : {size_t{1}, size_t{2}, size_t{40}, size_t{700}, length}) {
            Candidates best;
            best.take_best(scan, count, Candidates::any_logit);
            BOOST_REQUIRE(best.size() == std::min(count, sorted.size()));
            for (size_t i = 0; i < best.size(); ++i) BOOST_REQUIRE(best[i].token == sorted[i].token);
            size_t wanted = std::min(count, sorted.size());
            Candidates all = candidates_of(logits);
            BOOST_REQUIRE(all.size() == sorted.size());
            BOOST_TEST(all.best().token == sorted[0].token);
            all.keep_ranked([&](const Candidate &) { return --wanted == 0; });
            BOOST_REQUIRE(all.size() == best.size());
            for (size_t i = 0; i < best.size(); ++i) BOOST_REQUIRE(all[i].token == sorted[i].token);
        }
    }
}

}  // namespace llm::test
