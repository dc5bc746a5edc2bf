// Long texts, for each kind of tokenizer: linear time, little memory, a small stack.
#include "unit/tokenizer/long_texts.h"

#include "unit/tokenizer/tiny_vocabulary.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <string_view>

namespace llm::test {

namespace {

constexpr std::string_view repeated_units[] = {"A", "a",          "us",     " ",   "\n",   "7",
                                               "!", "\U0001F600", "\u4E2D", "The", "quick"};

// Merges that double a unit again and again, so that long rows of it are merged in many rounds.
TinyVocabulary doubling_bytes(std::string_view pre_tokenizer) {
    TinyVocabulary vocabulary = byte_level(pre_tokenizer);
    for (const std::string_view unit : repeated_units) {
        for (size_t end = 1; end < unit.size(); ++end)
            vocabulary.add_byte_merge(unit.substr(0, end), unit.substr(end, 1));
    }
    for (const std::string_view unit : repeated_units) {
        std::string text(unit);
        for (int round = 0; round < 5; ++round) {
            vocabulary.add_byte_merge(text, text);
            text += text;
        }
    }
    return vocabulary;
}

// The same as pieces with scores.
void add_doubling_pieces(TinyVocabulary &vocabulary) {
    float score = 0.0f;
    for (std::string unit : {"A", "a", "us", "\u2581", "7", "!", "\U0001F600", "\u4E2D", "u", "s"}) {
        for (int round = 0; round < 5; ++round) {
            vocabulary.add(unit, TokenType::normal, score -= 1.0f);
            unit += unit;
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(byte_pairs) {
    for (const char *pre_tokenizer : {"llama-bpe", "deepseek-llm"}) {
        check_long_texts(Tokenizer(doubling_bytes(pre_tokenizer).data));
    }
}

BOOST_AUTO_TEST_CASE(other_patterns) {
    // Only the cutting differs here, so that few merges are enough.
    for (const char *pre_tokenizer : {"default", "gpt-4o", "tiny_aya", "superbpe"}) {
        check_long_texts(Tokenizer(byte_level(pre_tokenizer).data));
    }
}

BOOST_AUTO_TEST_CASE(sentence_pieces_with_scores) {
    TinyVocabulary vocabulary = sentence_pieces();
    add_doubling_pieces(vocabulary);
    check_long_texts(Tokenizer(vocabulary.data));
}

BOOST_AUTO_TEST_CASE(character_pairs) {
    TinyVocabulary vocabulary("gemma4", "gemma4");
    vocabulary.add_byte_tokens();
    for (const char *token : {"a", "aa", "aaaa", "\u2581", "\u2581\u2581", "\n"}) vocabulary.add(token);
    for (const char *merge : {"a a", "aa aa", "\u2581 \u2581"}) vocabulary.data.merges.push_back(merge);
    check_long_texts(Tokenizer(vocabulary.data));
}

BOOST_AUTO_TEST_CASE(word_pieces) {
    TinyVocabulary vocabulary("bert", "");
    vocabulary.add("[UNK]", TokenType::unknown);
    for (const char *token : {"[CLS]", "[SEP]"}) vocabulary.add(token, TokenType::control);
    for (const char *token : {"a", "us", "\u2581a", "\u2581us", "\u2581the", "q", "uick", "\u2581!"})
        vocabulary.add(token);
    check_long_texts(Tokenizer(vocabulary.data));
}

BOOST_AUTO_TEST_CASE(unigrams) {
    TinyVocabulary vocabulary("t5", "");
    vocabulary.add_special(SpecialToken::unknown, "<unk>", TokenType::unknown);
    add_doubling_pieces(vocabulary);
    check_long_texts(Tokenizer(vocabulary.data));
}

}  // namespace llm::test
