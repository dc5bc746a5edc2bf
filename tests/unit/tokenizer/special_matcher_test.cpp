// Tokens in a text against a search place by place.
#include "tokenizer/special_matcher.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace llm::test {

namespace {

using Matches = std::vector<std::pair<std::string, uint32_t>>;  // text and place

Matches found(const std::vector<std::string> &tokens, std::string_view text) {
    std::vector<TokenAutomaton::Entry> entries;
    for (size_t index = 0; index < tokens.size(); ++index) entries.push_back({tokens[index], llm_token(index)});
    Matches out;
    for (const SpecialMatcher::Match &match : SpecialMatcher(entries).find(text)) {
        BOOST_TEST(tokens[match.token] == text.substr(match.begin, match.end - match.begin));
        out.emplace_back(tokens[match.token], match.begin);
    }
    return out;
}

Matches expected(const std::vector<std::string> &tokens, std::string_view text) {
    Matches out;
    for (size_t position = 0; position < text.size();) {
        std::string_view longest;
        for (const std::string &token : tokens) {
            if (text.substr(position).starts_with(token) && token.size() > longest.size()) longest = token;
        }
        if (longest.empty()) {
            ++position;
        } else {
            out.emplace_back(longest, position);
            position += longest.size();
        }
    }
    return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_longest_token_at_the_first_place) {
    BOOST_TEST((found({"<s>", "<st", "<sta>"}, "a<sta><s>") == Matches{{"<sta>", 1}, {"<s>", 6}}));
    BOOST_TEST((found({"ab", "bcd"}, "abcd") == Matches{{"ab", 0}}));
    BOOST_TEST((found({"\n", "\n\n\n"}, "\n\n\n\n\n") == Matches{{"\n\n\n", 0}, {"\n", 3}, {"\n", 4}}));
}

BOOST_AUTO_TEST_CASE(empty_tokens_and_texts_match_nothing) {
    BOOST_TEST(found({""}, "abc").empty());
    BOOST_TEST(found({}, "abc").empty());
    BOOST_TEST(found({"a"}, "").empty());
}

BOOST_AUTO_TEST_CASE(of_equal_tokens_the_first_counts) {
    const std::vector<TokenAutomaton::Entry> entries = {{"x", 5}, {"x", 3}};
    BOOST_TEST(SpecialMatcher(entries).find("x").front().token == 5);
}

BOOST_AUTO_TEST_CASE(random_tokens_over_a_small_alphabet) {
    std::mt19937 random(11);
    const auto word = [&](uint32_t most) {
        std::string out;
        for (uint32_t count = random() % (most + 1); count > 0; --count) out.push_back("abc"[random() % 3]);
        return out;
    };
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> tokens;
        for (uint32_t count = random() % 8; count > 0; --count) tokens.push_back(word(5));
        const std::string text = word(40);
        BOOST_TEST((found(tokens, text) == expected(tokens, text)));
    }
}

BOOST_AUTO_TEST_CASE(forward_the_automaton_knows_all_tokens_that_end_at_a_place) {
    const std::vector<std::string> tokens = {"he", "she", "his", "hers", "e"};
    std::vector<TokenAutomaton::Entry> entries;
    for (size_t index = 0; index < tokens.size(); ++index) entries.push_back({tokens[index], llm_token(index)});
    const TokenAutomaton automaton(entries, TokenAutomaton::Direction::forward);
    uint32_t state = TokenAutomaton::root;
    std::vector<std::vector<std::string>> ends;
    for (const char byte : std::string_view("ushers")) {
        state = automaton.step(state, static_cast<uint8_t>(byte));
        std::vector<std::string> &here = ends.emplace_back();
        for (uint32_t number = automaton.first_match(state); number != TokenAutomaton::root;
             number = automaton.next_match(number)) {
            here.push_back(tokens[automaton.match(number).token]);
        }
    }
    const std::vector<std::vector<std::string>> wanted = {{}, {}, {}, {"she", "he", "e"}, {}, {"hers"}};
    BOOST_TEST((ends == wanted));
}

}  // namespace llm::test
