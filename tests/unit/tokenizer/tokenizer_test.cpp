// Text to tokens and back with vocabularies small enough to be understood.
#include "tokenizer/tokenizer.h"

#include "base/error.h"
#include "tokenizer/stream_decoder.h"
#include "tokenizer/text_decoder.h"
#include "unit/tokenizer/tiny_vocabulary.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace llm::test {

namespace {

using Tokens = std::vector<llm_token>;

Tokens plain(const Tokenizer &tokenizer, std::string_view text) { return tokenizer.tokenize(text, false, false); }

// The tokens as their spellings, which reads better than numbers.
std::string spelled(const Tokenizer &tokenizer, const Tokens &tokens) {
    std::string out;
    for (const llm_token token : tokens) out.append(out.empty() ? "" : "|").append(tokenizer.info(token).text);
    return out;
}

std::string spelled(const Tokenizer &tokenizer, std::string_view text, bool parse_special = false) {
    return spelled(tokenizer, tokenizer.tokenize(text, false, parse_special));
}

// Letters a to e with a space, and the words that SentencePiece would merge from them.
TinyVocabulary small_sentence_pieces() {
    TinyVocabulary vocabulary = sentence_pieces();
    float score = 0.0f;
    for (const char *piece : {"ab", "\u2581ab", "abc", "\u2581\u2581", "\u2581d", "\u2581", "a", "b", "c", "d"}) {
        vocabulary.add(piece, TokenType::normal, score -= 1.0f);
    }
    return vocabulary;
}

}  // namespace

BOOST_AUTO_TEST_CASE(byte_pairs_merge_in_the_order_of_the_file) {
    TinyVocabulary vocabulary = byte_level();
    const llm_token bc = vocabulary.add_byte_merge("b", "c");
    const llm_token ab = vocabulary.add_byte_merge("a", "b");
    const llm_token abab = vocabulary.add_byte_merge("ab", "ab");
    const llm_token space_a = vocabulary.add_byte_merge(" ", "a");
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(plain(tokenizer, "abc") == (Tokens{'a', bc}), boost::test_tools::per_element());
    BOOST_TEST(plain(tokenizer, "ababab") == (Tokens{abab, ab}), boost::test_tools::per_element());
    BOOST_TEST(plain(tokenizer, "b ab") == (Tokens{'b', ' ', ab}), boost::test_tools::per_element());
    BOOST_TEST(plain(tokenizer, "b a") == (Tokens{'b', space_a}), boost::test_tools::per_element());
    BOOST_TEST(plain(tokenizer, "").empty());
}

BOOST_AUTO_TEST_CASE(whole_words_come_before_merges_where_the_pre_tokenizer_says_so) {
    for (const auto &[pre_tokenizer, first] : {std::pair{"llama-bpe", true}, std::pair{"gpt-2", false}}) {
        TinyVocabulary vocabulary = byte_level(pre_tokenizer);
        const llm_token ab = vocabulary.add_byte_merge("a", "b");
        const llm_token abc = vocabulary.add("abc");  // no merge leads to it
        const Tokenizer tokenizer(vocabulary.data);
        BOOST_TEST(plain(tokenizer, "abc") == (first ? Tokens{abc} : Tokens{ab, 'c'}),
                   boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(bytes_without_a_token) {
    TinyVocabulary vocabulary("gpt2", "gpt-2");
    for (const char *letter : {"a", "b"}) vocabulary.add(letter);
    // It is left out, and what is beside it not merged: so llama.cpp does with "!", U+0004, "!" and the vocabulary of
    // SmolLM2, which lacks that character.
    const llm_token joined = vocabulary.add_byte_merge("a", "b");
    BOOST_TEST(spelled(Tokenizer(vocabulary.data), "axb") == "a|b");
    BOOST_TEST(plain(Tokenizer(vocabulary.data), "xabx") == Tokens{joined}, boost::test_tools::per_element());
    BOOST_TEST(plain(Tokenizer(vocabulary.data), "x").empty());
    // A control token must not be had from text, even where the file calls it the unknown token.
    vocabulary.add_special(SpecialToken::unknown, "<|endoftext|>");
    BOOST_TEST(spelled(Tokenizer(vocabulary.data), "axb") == "a|b");

    vocabulary.add_special(SpecialToken::unknown, "<unknown>", TokenType::unknown);
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(spelled(tokenizer, "axb") == "a|<unknown>|b");
    BOOST_TEST(spelled(tokenizer, "x!a!") == "<unknown>|<unknown>|a|<unknown>");
}

BOOST_AUTO_TEST_CASE(characters_without_any_token_are_an_error) {
    TinyVocabulary vocabulary("llama", "default");
    for (const char *piece : {"\u2581", "a"}) vocabulary.add(piece, TokenType::normal, -1.0f);
    BOOST_CHECK_EXCEPTION(plain(Tokenizer(vocabulary.data), "axb"), Error, [](const Error &error) {
        return error.status() == LLM_ERROR_VOCABULARY &&
               std::string_view(error.what()).find("'x'") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_byte_that_text_never_has_may_become_the_replacement_character) {
    TinyVocabulary vocabulary("gpt2", "gpt-2");
    for (const char byte : std::string_view("a\xEF\xBF\xBD"))
        vocabulary.add(TinyVocabulary::spelled(std::string(1, byte)));
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(tokenizer.detokenize(plain(tokenizer, "a\xFF"), false) == "a\uFFFD");
}

BOOST_AUTO_TEST_CASE(sentence_pieces_merge_by_score) {
    const Tokenizer tokenizer(small_sentence_pieces().data);
    BOOST_TEST(spelled(tokenizer, "abc") == "\u2581ab|c");
    BOOST_TEST(spelled(tokenizer, "ab d") == "\u2581ab|\u2581d");
    BOOST_TEST(spelled(tokenizer, "  ab") == "\u2581\u2581|\u2581ab");
    BOOST_TEST(spelled(tokenizer, "dabc") == "\u2581d|abc");
    BOOST_TEST(spelled(tokenizer, "").empty());
}

BOOST_AUTO_TEST_CASE(characters_without_a_token_are_written_in_bytes) {
    const Tokenizer tokenizer(small_sentence_pieces().data);
    BOOST_TEST(spelled(tokenizer, "a\u00E9\n") == "\u2581|a|<0xC3>|<0xA9>|<0x0A>");
    BOOST_TEST(spelled(tokenizer, "\xFF\xE4\xBD") == "\u2581|<0xFF>|<0xE4>|<0xBD>");
    BOOST_TEST(tokenizer.detokenize(plain(tokenizer, "a\u00E9\n\xFF"), false) == "a\u00E9\n\xFF");

    TinyVocabulary without_bytes("llama", "default");
    without_bytes.add_special(SpecialToken::unknown, "<unk>", TokenType::unknown);
    for (const char *piece : {"\u2581", "a"}) without_bytes.add(piece, TokenType::normal, -1.0f);
    const Tokenizer other(without_bytes.data);
    BOOST_TEST(spelled(other, "a\u00E9xyz a\u00E9a") == "\u2581|a|<unk>|\u2581|a|<unk>|a");
}

BOOST_AUTO_TEST_CASE(unused_tokens_are_written_in_their_parts) {
    TinyVocabulary vocabulary = small_sentence_pieces();
    vocabulary.add("abcd", TokenType::normal, -0.5f);  // merged from abc, which is unused
    vocabulary.data.types[vocabulary.data.tokens.size() - 9] = static_cast<int64_t>(TokenType::unused);
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(tokenizer.info(tokenizer.vocabulary().find_piece("abc")).attributes == LLM_TOKEN_UNUSED);
    BOOST_TEST(spelled(tokenizer, "dabc") == "\u2581d|ab|c");
    BOOST_TEST(spelled(tokenizer, "dabcd") == "\u2581d|abcd");
}

BOOST_AUTO_TEST_CASE(the_space_in_front_of_a_text) {
    TinyVocabulary vocabulary = small_sentence_pieces();
    vocabulary.data.add_space_prefix = false;
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(spelled(tokenizer, "ab") == "ab");
    BOOST_TEST(spelled(tokenizer, " ab") == "\u2581ab");
    BOOST_TEST(tokenizer.detokenize(plain(tokenizer, " ab"), false) == " ab");
}

BOOST_AUTO_TEST_CASE(spaces_around_special_tokens) {
    TinyVocabulary vocabulary = small_sentence_pieces();
    const llm_token user = vocabulary.add("<u>", TokenType::user_defined);
    const Tokenizer tokenizer(vocabulary.data);
    for (const std::string before : {"", " ", "  "}) {
        for (const std::string after : {"", " ", "  "}) {
            for (const std::string special : {"<s>", "<u>"}) {
                const std::string text = "ab" + before + special + after + "d";
                const Tokens tokens = tokenizer.tokenize(text, false, true);
                BOOST_TEST(tokenizer.detokenize(tokens, true) == text);
                // What follows a special token is like the start of a text: it gets a space in front.
                const auto place = std::ranges::find(tokens, special == "<s>" ? 1 : user);
                BOOST_REQUIRE(place != tokens.end());
                const Tokens rest(place + 1, tokens.end());
                BOOST_TEST(rest == plain(tokenizer, after + "d"), boost::test_tools::per_element());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(control_tokens_only_where_they_are_asked_for) {
    const Tokenizer tokenizer(small_sentence_pieces().data);
    BOOST_TEST(spelled(tokenizer, "a</s>", true) == "\u2581|a|</s>");
    BOOST_TEST(spelled(tokenizer, "a</s>", false) == "\u2581|a|<0x3C>|<0x2F>|<0x73>|<0x3E>");

    // Merging never makes a control token either, though all its parts be there.
    TinyVocabulary forged = sentence_pieces();
    for (const char *piece : {"<", "s", ">", "<s", "\u2581"}) forged.add(piece, TokenType::normal, -1.0f);
    BOOST_TEST(spelled(Tokenizer(forged.data), "<s>") == "\u2581|<s|>");
    TinyVocabulary pairs = byte_level("default");
    pairs.add_byte_merge("[", "x");
    pairs.add_byte_merge("[x", "]");
    pairs.data.types.back() = static_cast<int64_t>(TokenType::control);
    BOOST_TEST(spelled(Tokenizer(pairs.data), "[x]") == "[|x|]");
    BOOST_TEST(spelled(Tokenizer(pairs.data), "[x]", true) == "[x]");
}

BOOST_AUTO_TEST_CASE(user_defined_tokens_come_before_anything_else) {
    TinyVocabulary vocabulary = byte_level();
    vocabulary.add_byte_merge("\n", "\n");
    const llm_token three = vocabulary.add("\n\n\n", TokenType::user_defined);
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(plain(tokenizer, "a\n\n\n\n\n") == (Tokens{'a', three, three - 1}), boost::test_tools::per_element());
    BOOST_TEST(tokenizer.detokenize(Tokens{three}, false) == "\n\n\n");
}

BOOST_AUTO_TEST_CASE(begin_and_end_are_added_as_the_file_says_and_never_twice) {
    TinyVocabulary vocabulary = small_sentence_pieces();
    vocabulary.data.add_end = true;
    const Tokenizer tokenizer(vocabulary.data);
    const auto with_special = [&](std::string_view text) {
        return spelled(tokenizer, tokenizer.tokenize(text, true, true));
    };
    BOOST_TEST(with_special("d") == "<s>|\u2581d|</s>");
    BOOST_TEST(with_special("<s>d</s>") == "<s>|\u2581d|</s>");
    BOOST_TEST(with_special("") == "<s>|</s>");
    BOOST_TEST(with_special("<s>") == "<s>|</s>");
    BOOST_TEST(with_special("<s><s>d") == "<s>|<s>|\u2581d|</s>");  // the text's own doing
    BOOST_TEST(spelled(tokenizer, tokenizer.tokenize("<s>", true, false)) == "<s>|\u2581|<0x3C>|<0x73>|<0x3E>|</s>");

    vocabulary.data.add_begin = false;
    vocabulary.data.add_end = false;
    const Tokenizer without(vocabulary.data);
    BOOST_TEST(spelled(without, without.tokenize("d", true, true)) == "\u2581d");
}

BOOST_AUTO_TEST_CASE(the_pre_tokenizer_decides_where_the_file_does_not) {
    for (const auto &[name, expected] : {std::pair{"llama-bpe", "<b>|a"}, std::pair{"gpt-2", "a"}}) {
        TinyVocabulary vocabulary = byte_level(name);
        vocabulary.add_special(SpecialToken::begin, "<b>");
        const Tokenizer tokenizer(vocabulary.data);
        BOOST_TEST(spelled(tokenizer, tokenizer.tokenize("a", true, false)) == expected);
    }
}

BOOST_AUTO_TEST_CASE(tokens_that_swallow_the_spaces_beside_them) {
    TinyVocabulary phi = small_sentence_pieces();
    phi.data.name = "Phi-3 mini";
    phi.add("<|end|>", TokenType::control);
    const Tokenizer tokenizer(phi.data);
    BOOST_TEST(spelled(tokenizer, "a <|end|> \n d", true) == "\u2581|a|\u2581|<|end|>|\u2581d");
    BOOST_TEST(spelled(tokenizer, "<s> d", true) == "<s>|\u2581\u2581|d");

    TinyVocabulary jina = byte_level("jina-v2-de");
    jina.add("<mask>", TokenType::control);
    BOOST_TEST(spelled(Tokenizer(jina.data), "a  <mask> b", true) == "a|<mask>|\u0120|b");
}

BOOST_AUTO_TEST_CASE(character_pairs_see_spaces_as_the_vocabulary_writes_them) {
    TinyVocabulary vocabulary("gemma4", "gemma4");
    vocabulary.add_special(SpecialToken::begin, "<bos>");
    vocabulary.add_byte_tokens();
    for (const char *token : {"\u2581", "a", "b", "\u00E9", "\u2581a", "b\u00E9", "\u2581\u2581", "\n", "\n\n"}) {
        vocabulary.add(token);
    }
    for (const char *merge : {"\u2581 a", "b \u00E9", "\u2581 \u2581", "\n \n"})
        vocabulary.data.merges.push_back(merge);
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(spelled(tokenizer, "b\u00E9 a  b\u00E8") == "b\u00E9|\u2581a|\u2581\u2581|b|<0xC3>|<0xA8>");
    BOOST_TEST(spelled(tokenizer, "a\n\n a") == "a|\n\n|\u2581a");
    BOOST_TEST(tokenizer.detokenize(tokenizer.tokenize(" b\u00E9\u00E8 ", true, false), false) == " b\u00E9\u00E8 ");
    // The model's name says it all, and so does the pre-tokenizer's.
    for (const char *pre_tokenizer : {"", "default", "unheard of"}) {
        vocabulary.data.pre_tokenizer = pre_tokenizer;
        BOOST_TEST(spelled(Tokenizer(vocabulary.data), "b\u00E9 a") == "b\u00E9|\u2581a");
    }
    vocabulary.data.model = "gpt2";
    vocabulary.data.pre_tokenizer = "gemma4";
    BOOST_TEST(spelled(Tokenizer(vocabulary.data), "b\u00E9 a") == "b\u00E9|\u2581a");
}

BOOST_AUTO_TEST_CASE(a_piece_is_what_stands_inside_a_text) {
    const Tokenizer tokenizer(small_sentence_pieces().data);
    const auto piece = [&](llm_token token, bool special) {
        std::string out = "x";
        tokenizer.append_piece(out, token, special);
        return out;
    };
    const llm_token spaced = tokenizer.vocabulary().find_piece(" ab");
    BOOST_TEST(piece(spaced, false) == "x ab");
    BOOST_TEST(piece(1, false) == "x");
    BOOST_TEST(piece(1, true) == "x<s>");
    BOOST_TEST(piece(3 + 0xE9, false) == "x\xE9");
    BOOST_TEST(tokenizer.detokenize(Tokens{1, spaced, spaced}, false) == "ab ab");
}

BOOST_AUTO_TEST_CASE(a_text_decoded_token_by_token_is_the_text_decoded_at_once) {
    TinyVocabulary bytes = byte_level();
    bytes.add_byte_merge("\xF0", "\x9F");
    bytes.add_byte_merge("\x98", "\x80");
    bytes.add_byte_merge(" ", "\xF0\x9F");
    const Tokenizer byte_tokenizer(bytes.data);
    const Tokenizer piece_tokenizer(small_sentence_pieces().data);
    const std::string text =
        "ab \U0001F600\U0001F600 d\u00E9\n abc\xFF"
        "d \U0001F600";
    for (const Tokenizer *tokenizer : {&byte_tokenizer, &piece_tokenizer}) {
        const Tokens tokens = plain(*tokenizer, text);
        BOOST_TEST(tokenizer->detokenize(tokens, false) == text);
        for (size_t count = 0; count <= tokens.size(); ++count) {
            StreamDecoder whole;
            std::string expected = whole.push(tokenizer->detokenize(std::span(tokens).first(count), false));
            expected += whole.finish();

            TextDecoder decoder(tokenizer->vocabulary(), false);
            StreamDecoder stream;
            std::string streamed;
            for (size_t index = 0; index < count; ++index) {
                std::string piece;
                decoder.append(piece, tokens[index]);
                streamed += stream.push(piece);
            }
            BOOST_TEST(streamed + stream.finish() == expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(random_bytes_come_back) {
    TinyVocabulary bytes = byte_level("qwen2");
    bytes.add_byte_merge("a", "\xE4");
    bytes.add_byte_merge(" ", " ");
    const Tokenizer byte_tokenizer(bytes.data);
    const Tokenizer piece_tokenizer(small_sentence_pieces().data);
    std::mt19937 random(9);
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (uint32_t count = random() % 60; count > 0; --count) {
            constexpr std::string_view usual = "ab cd\n\xE4\xBD\xA0\xF0\x9F\x98\x80";
            text.push_back(random() % 4 ? usual[random() % usual.size()] : static_cast<char>(random()));
        }
        BOOST_TEST(byte_tokenizer.detokenize(plain(byte_tokenizer, text), false) == text);
        if (text.find("\u2581") != std::string::npos) continue;  // which stands for a space in this vocabulary
        BOOST_TEST(piece_tokenizer.detokenize(plain(piece_tokenizer, text), false) == text);
    }
}

BOOST_AUTO_TEST_CASE(threads_share_a_tokenizer) {
    std::string text;
    for (int word = 0; word < 500; ++word) text += word % 3 ? " abc" : "\u00E9 d";
    // Byte pairs are cut by a pattern that all threads have in common too.
    for (const TinyVocabulary &vocabulary : {small_sentence_pieces(), byte_level("llama-bpe")}) {
        const Tokenizer tokenizer(vocabulary.data);
        const Tokens expected = plain(tokenizer, text);
        std::vector<std::thread> threads;
        std::vector<Tokens> found(4);
        for (Tokens &tokens : found) {
            threads.emplace_back([&] {
                for (int round = 0; round < 20; ++round) tokens = plain(tokenizer, text);
            });
        }
        for (std::thread &thread : threads) thread.join();
        for (const Tokens &tokens : found) BOOST_TEST((tokens == expected));
    }
}

}  // namespace llm::test
