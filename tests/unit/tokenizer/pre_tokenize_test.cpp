// How texts are cut into pieces, and the dialect of the patterns.
#include "tokenizer/pre_tokenize.h"

#include "base/error.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace llm::test {

namespace {

using Pieces = std::vector<std::string>;

Pieces pieces(const PreTokenizer &pre_tokenizer, std::string_view text,
              RegexEngine engine = RegexEngine::machine_code) {
    const PieceCutter cutter(pre_tokenizer, engine);
    RegexScratch scratch(text.size());
    PieceStream stream(cutter, scratch, text);
    Pieces out;
    for (std::string_view piece; stream.next(piece);) out.emplace_back(piece);
    return out;
}

Pieces pieces(std::string_view name, std::string_view text) {
    const PreTokenizer *found = find_pre_tokenizer(name);
    BOOST_REQUIRE(found != nullptr);
    return pieces(*found, text);
}

Pieces cut_by(std::string_view pattern, std::string_view text) {
    const PreTokenizerStep step = {pattern};
    return pieces(PreTokenizer{"test", {&step, 1}}, text);
}

}  // namespace

BOOST_AUTO_TEST_CASE(matches_and_gaps_are_pieces) {
    BOOST_TEST((cut_by("b+", "abbcab") == Pieces{"a", "bb", "ca", "b"}));
    BOOST_TEST((cut_by("x", "abc") == Pieces{"abc"}));
    BOOST_TEST((cut_by("[abc]+", "abc") == Pieces{"abc"}));
    BOOST_TEST(cut_by("x", "").empty());
    BOOST_TEST((cut_by("x*", "abxxc") == Pieces{"ab", "xx", "c"}));  // empty matches are none
}

BOOST_AUTO_TEST_CASE(white_space_is_that_of_unicode) {
    // U+180E was taken out of White_Space; U+0085, U+00A0 and U+3000 are in it.
    BOOST_TEST((cut_by("\\s+", "a\u180Eb") == Pieces{"a\u180Eb"}));
    BOOST_TEST((cut_by("\\s+", "a\u0085\u00A0\u3000b") == Pieces{"a", "\u0085\u00A0\u3000", "b"}));
    BOOST_TEST((cut_by("\\S+", "a\u180E b") == Pieces{"a\u180E", " ", "b"}));
    BOOST_TEST((cut_by("[^\\sx]+", "ab xc") == Pieces{"ab", " x", "c"}));
}

BOOST_AUTO_TEST_CASE(ignored_case_is_that_of_ascii) {
    BOOST_TEST((cut_by("(?i:'s|'ll)", "a'Sb'lL'\u017F") == Pieces{"a", "'S", "b", "'lL", "'\u017F"}));
    BOOST_TEST(pcre2_pattern("(?i:'s|'ll)|x") == "(?:'[sS]|'[lL][lL])|x");
}

BOOST_AUTO_TEST_CASE(words_numbers_and_spaces) {
    BOOST_TEST((pieces("gpt-2", "I'm  12345\n\n x") == Pieces{"I", "'m", " ", " 12345", "\n\n", " x"}));
    BOOST_TEST((pieces("llama-bpe", "I'M  12345\n\n x") == Pieces{"I", "'M", " ", " ", "123", "45", "\n\n", " x"}));
    BOOST_TEST((pieces("qwen2", "12 ab") == Pieces{"1", "2", " ab"}));
    BOOST_TEST((pieces("smollm", "a12 b") == Pieces{"a", "1", "2", " b"}));
    BOOST_TEST((pieces("deepseek-llm", "ab  \u4F60\u597D") == Pieces{"ab", "  ", "\u4F60\u597D"}));
    BOOST_TEST((pieces("gemma4", "a b\n\nc") == Pieces{"a b", "\n\n", "c"}));
    BOOST_TEST((pieces("gpt-4o", "HELLOworld don't") == Pieces{"HELLOworld", " don't"}));
    BOOST_TEST((pieces("tekken", "HELLOworld don't") == Pieces{"HELLOworld", " don", "'t"}));
}

BOOST_AUTO_TEST_CASE(digits_in_groups_counted_from_their_end) {
    BOOST_TEST((pieces("superbpe", "12") == Pieces{"12"}));
    BOOST_TEST((pieces("superbpe", "1234567 1") == Pieces{"1", "234", "567", " ", "1"}));
    BOOST_TEST((pieces("superbpe", "123\u00BD45") == Pieces{"123\u00BD45"}));
    BOOST_TEST((pieces("superbpe", "\u00BD1234") == Pieces{"\u00BD1", "234"}));
    BOOST_TEST((pieces("tiny_aya", "1234567") == Pieces{"1", "234", "567"}));
    BOOST_TEST((pieces("tiny_aya", "1234567.") == Pieces{"1", "234", "567", "."}));
    // A letter follows: the digits are left to the next pattern, which counts from their start.
    BOOST_TEST((pieces("tiny_aya", "1234567x") == Pieces{"123", "456", "7", "x"}));
    BOOST_TEST((pieces("tiny_aya", "\u0661\u0662\u0663\u0664") == Pieces{"\u0661", "\u0662\u0663\u0664"}));
}

BOOST_AUTO_TEST_CASE(ill_formed_bytes_are_pieces_of_their_own) {
    BOOST_TEST((pieces("gpt-2", "ab\xFF\xFE cd") == Pieces{"ab", "\xFF\xFE", " cd"}));
    BOOST_TEST((pieces("gpt-2", "\xE4\xBD") == Pieces{"\xE4\xBD"}));
    BOOST_TEST((pieces("gpt-2", "  \x80") == Pieces{"  ", "\x80"}));
}

BOOST_AUTO_TEST_CASE(pieces_together_are_the_text_with_either_engine) {
    std::mt19937 random(2);
    for (const PreTokenizer &pre_tokenizer : pre_tokenizers()) {
        for (int round = 0; round < 20; ++round) {
            constexpr std::string_view units[] = {"a",      "B",     "7",  " ",    "\n",       "\r\n",         "'s",
                                                  ".",      "<",     "\t", "\xFF", "\xC3\xA9", "\xE4\xBD\xA0", "\xE4",
                                                  "\u0301", "\u3000"};
            std::string text;
            for (uint32_t count = random() % 60; count > 0; --count) text += units[random() % std::size(units)];
            std::string joined;
            for (const std::string &piece : pieces(pre_tokenizer, text)) {
                BOOST_TEST(!piece.empty());
                joined += piece;
            }
            BOOST_TEST(joined == text, pre_tokenizer.name);
            BOOST_TEST((pieces(pre_tokenizer, text, RegexEngine::interpreter) == pieces(pre_tokenizer, text)));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_interpreter_takes_long_texts_too) {
    for (const char *unit : {"a", "A", " ", "7", "\n", "\u4E2D"}) {
        std::string text;
        while (text.size() < 1 << 20) text += unit;
        for (const char *name : {"llama-bpe", "gpt-4o", "deepseek-llm", "default"}) {
            const PreTokenizer &pre_tokenizer = *find_pre_tokenizer(name);
            BOOST_TEST((pieces(pre_tokenizer, text, RegexEngine::interpreter) == pieces(pre_tokenizer, text)));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_pattern_that_needs_a_stack_gets_one_or_ends_with_a_status) {
    // A group that is repeated takes stack for each round, unlike a class.
    const Regex regex("(?:a|ab)+c");
    for (const size_t rounds : {size_t{1} << 10, size_t{1} << 17, size_t{1} << 24}) {
        std::string text;
        for (size_t round = 0; round < rounds; ++round) text += "ab";
        text += 'c';
        RegexScratch scratch(text.size());
        Regex::Match match;
        try {
            BOOST_TEST(regex.find(match, scratch, text, 0));
            BOOST_TEST(match.begin == 0u);
            BOOST_TEST(match.end == text.size());
        } catch (const Error &error) {
            BOOST_TEST(error.status() == LLM_ERROR_LIMIT);
            BOOST_TEST(rounds > size_t{1} << 17);
        }
    }
}

}  // namespace llm::test
