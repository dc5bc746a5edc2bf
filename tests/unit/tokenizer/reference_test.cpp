// WordPiece and Unigram against what the reference libraries make of the same texts. The data, small vocabularies and
// all, was written by
//     pip install tokenizers==0.21.4 sentencepiece==0.2.1 protobuf
//     make_reference.py .
#include "base/error.h"
#include "tokenizer/tokenizer.h"
#include "unit/tokenizer/tiny_vocabulary.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace llm::test {

namespace {

nlohmann::json read(const std::string &name) {
    return nlohmann::json::parse(std::ifstream(concat(LLM_SOURCE_DIR, "/tests/unit/tokenizer/", name)));
}

std::optional<bool> said(const nlohmann::json &data, const char *name) {
    const auto found = data["said"].find(name);
    return found == data["said"].end() ? std::nullopt : std::optional(found->get<bool>());
}

TinyVocabulary word_pieces(const nlohmann::json &data) {
    TinyVocabulary vocabulary("bert", "");
    for (const std::string token : data["tokens"]) {
        const bool special = token.front() == '[' && token.size() > 1;
        const TokenType type = token == "[UNK]" ? TokenType::unknown : special ? TokenType::control : TokenType::normal;
        vocabulary.add(token, type);
    }
    vocabulary.data.lowercase = said(data, "lowercase");
    vocabulary.data.strip_accents = said(data, "strip_accents");
    return vocabulary;
}

std::vector<uint8_t> from_hexadecimal(const std::string &text) {
    std::vector<uint8_t> out;
    for (size_t index = 0; index < text.size(); index += 2) {
        out.push_back(static_cast<uint8_t>(std::stoi(text.substr(index, 2), nullptr, 16)));
    }
    return out;
}

TinyVocabulary unigrams(const nlohmann::json &data) {
    TinyVocabulary vocabulary("t5", "");
    for (size_t index = 0; index < data["tokens"].size(); ++index) {
        vocabulary.add(data["tokens"][index].get<std::string>(), data["types"][index].get<TokenType>(),
                       data["scores"][index].get<float>());
    }
    vocabulary.data.special[static_cast<size_t>(SpecialToken::padding)] = 0;
    vocabulary.data.special[static_cast<size_t>(SpecialToken::end)] = 1;
    vocabulary.data.special[static_cast<size_t>(SpecialToken::unknown)] = 2;
    return vocabulary;
}

}  // namespace

BOOST_AUTO_TEST_CASE(word_pieces_are_those_of_tokenizers) {
    size_t cases = 0;
    for (const nlohmann::json &variant : read("word_pieces.json")) {
        const Tokenizer tokenizer(word_pieces(variant).data);
        for (const auto &item : variant["cases"]) {
            const std::string text = item["text"];
            const auto ids = item["ids"].get<std::vector<llm_token>>();
            BOOST_TEST_CONTEXT(variant["said"].dump() << ", " << quoted(text)) {
                BOOST_TEST(tokenizer.tokenize(text, false, false) == ids, boost::test_tools::per_element());
                BOOST_TEST(tokenizer.detokenize(ids, true) == item["decoded"].get<std::string>());
            }
            ++cases;
        }
    }
    BOOST_TEST(cases > 300u);
}

BOOST_AUTO_TEST_CASE(word_pieces_begin_and_end_with_the_tokens_of_the_kind) {
    const nlohmann::json variants = read("word_pieces.json");
    const Tokenizer tokenizer(word_pieces(variants[0]).data);
    const auto spelled = [&](std::string_view text) {
        std::string out;
        for (const llm_token token : tokenizer.tokenize(text, true, true)) out.append(tokenizer.info(token).text);
        return out;
    };
    BOOST_TEST(spelled("") == "[CLS][SEP]");
    BOOST_TEST(spelled("the") == "[CLS]\u2581the[SEP]");
    BOOST_TEST(spelled("[CLS]the[MASK] the[SEP]") == "[CLS]\u2581the[MASK]\u2581the[SEP]");
    BOOST_TEST(tokenizer.special(LLM_SPECIAL_SEPARATOR) == 3);
    BOOST_TEST(tokenizer.special(LLM_SPECIAL_BEGIN) == 2);
}

BOOST_AUTO_TEST_CASE(unigrams_are_those_of_sentencepiece) {
    const nlohmann::json data = read("unigrams.json");
    const auto texts = data["texts"].get<std::vector<std::string>>();
    const std::vector<uint8_t> normalizer = from_hexadecimal(data["normalizer"]);
    for (const auto &variant : data["variants"]) {
        TinyVocabulary vocabulary = unigrams(data);
        vocabulary.data.normalizer = normalizer;
        vocabulary.data.remove_extra_whitespace = variant["remove_extra_whitespace"].get<bool>();
        vocabulary.data.add_space_prefix = variant["add_space_prefix"].get<bool>();
        const Tokenizer tokenizer(vocabulary.data);
        BOOST_REQUIRE_EQUAL(variant["ids"].size(), texts.size());
        for (size_t index = 0; index < texts.size(); ++index) {
            BOOST_TEST_CONTEXT(quoted(texts[index])) {
                BOOST_TEST(tokenizer.tokenize(texts[index], false, false) ==
                               variant["ids"][index].get<std::vector<llm_token>>(),
                           boost::test_tools::per_element());
            }
        }
        BOOST_TEST(tokenizer.tokenize("a", true, false).back() == 1);  // the end is added, a beginning there is none
    }
    BOOST_TEST(texts.size() > 200u);
}

}  // namespace llm::test
