// Vocabularies that are right, odd and wrong.
#include "tokenizer/vocabulary.h"

#include "base/error.h"
#include "gguf/gguf_file.h"
#include "support/gguf_builder.h"
#include "tokenizer/tokenizer.h"
#include "unit/tokenizer/tiny_vocabulary.h"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <string>
#include <vector>

namespace llm::test {

namespace {

// The text of the error that `action` ends with, which must be of that status.
template <class Action>
std::string error_of(llm_status status, Action action) {
    try {
        action();
    } catch (const Error &error) {
        BOOST_TEST(error.status() == status, error.what());
        return error.what();
    }
    BOOST_ERROR("no error");
    return {};
}

std::string error_of(const TinyVocabulary &vocabulary, llm_status status = LLM_ERROR_VOCABULARY) {
    return error_of(status, [&] { Tokenizer tokenizer(vocabulary.data); });
}

GgufBuilder small_file() {
    GgufBuilder file;
    file.set("tokenizer.ggml.model", "llama");
    file.set_strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "a"});
    file.set_array<float>("tokenizer.ggml.scores", {0, 0, 0, -1});
    file.set_array<int32_t>("tokenizer.ggml.token_type", {2, 3, 3, 1});
    file.set<uint32_t>("tokenizer.ggml.unknown_token_id", 0);
    file.set<uint32_t>("tokenizer.ggml.bos_token_id", 1);
    file.set<uint32_t>("tokenizer.ggml.eos_token_id", 2);
    return file;
}

// The GgufFile does not outlive the call: a tokenizer needs it no longer.
std::unique_ptr<Tokenizer> open(const GgufBuilder &file, std::string_view pre_tokenizer = {}) {
    const std::vector<uint8_t> bytes = file.bytes();
    return std::make_unique<Tokenizer>(GgufFile::parse(bytes), pre_tokenizer);
}

std::string error_of(const GgufBuilder &file, llm_status status = LLM_ERROR_VOCABULARY) {
    return error_of(status, [&] { open(file); });
}

bool has(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_file_says) {
    const auto tokenizer = open(small_file());
    BOOST_TEST(tokenizer->size() == 4);
    BOOST_TEST(tokenizer->special(LLM_SPECIAL_BEGIN) == 1);
    BOOST_TEST(tokenizer->special(LLM_SPECIAL_END) == 2);
    BOOST_TEST(tokenizer->special(LLM_SPECIAL_UNKNOWN) == 0);
    BOOST_TEST(tokenizer->special(LLM_SPECIAL_PADDING) == LLM_TOKEN_NONE);
    BOOST_TEST(tokenizer->special(6) == LLM_TOKEN_NONE);
    BOOST_TEST(tokenizer->special(-1) == LLM_TOKEN_NONE);
    BOOST_TEST(tokenizer->info(0).attributes == LLM_TOKEN_UNKNOWN);
    BOOST_TEST(tokenizer->info(2).attributes == (LLM_TOKEN_CONTROL | LLM_TOKEN_ENDS_GENERATION));
    BOOST_TEST(tokenizer->info(3).text == "a");
    BOOST_TEST(tokenizer->info(3).score == -1.0f);
    BOOST_TEST(tokenizer->info(3).attributes == LLM_TOKEN_NORMAL);
}

BOOST_AUTO_TEST_CASE(a_file_may_keep_case_and_accents) {
    const auto flags = [](std::initializer_list<std::pair<const char *, bool>> said) {
        auto file = small_file().set("tokenizer.ggml.model", "bert");
        for (const auto &[name, value] : said) file.set(concat("tokenizer.ggml.normalizer.", name), value);
        const VocabularyFlags found = open(file)->vocabulary().flags();
        return std::pair(found.lowercase, found.strip_accents);
    };
    BOOST_TEST((flags({}) == std::pair(true, true)));
    BOOST_TEST((flags({{"lowercase", false}}) == std::pair(false, false)));
    BOOST_TEST((flags({{"strip_accents", false}}) == std::pair(true, false)));
    BOOST_TEST((flags({{"lowercase", false}, {"strip_accents", true}}) == std::pair(false, true)));
}

BOOST_AUTO_TEST_CASE(numbers_of_other_widths_that_fit) {
    auto file = small_file();
    file.set_array<uint8_t>("tokenizer.ggml.token_type", {2, 3, 3, 1});
    file.set_array<double>("tokenizer.ggml.scores", {0, 0, 0, -1});
    file.set<uint64_t>("tokenizer.ggml.bos_token_id", 1);
    BOOST_TEST(open(file)->special(LLM_SPECIAL_BEGIN) == 1);
    file.set_array<int64_t>("tokenizer.ggml.token_type", {2, 3, 3, 1});
    BOOST_TEST(open(file)->info(1).attributes == LLM_TOKEN_CONTROL);
}

BOOST_AUTO_TEST_CASE(token_types_that_are_not_known_are_normal) {
    auto file = small_file();
    for (const int64_t type : {int64_t{-1}, int64_t{0}, int64_t{7}, int64_t{1} << 31}) {
        file.set_array<int64_t>("tokenizer.ggml.token_type", {2, 3, 3, type});
        BOOST_TEST(open(file)->info(3).attributes == LLM_TOKEN_NORMAL);
    }
}

BOOST_AUTO_TEST_CASE(tokens_that_are_missing_or_no_strings) {
    auto file = small_file();
    BOOST_TEST(has(error_of(file.remove("tokenizer.ggml.tokens")), "tokenizer.ggml.tokens"));
    file = small_file();
    file.set_array<uint32_t>("tokenizer.ggml.tokens", {1, 2, 3, 4});
    BOOST_TEST(has(error_of(file), "tokenizer.ggml.tokens"));
    file = small_file();
    file.set_strings("tokenizer.ggml.tokens", {});
    BOOST_TEST(has(error_of(file), "tokenizer.ggml.tokens"));
}

BOOST_AUTO_TEST_CASE(one_token_is_enough) {
    TinyVocabulary vocabulary("llama", "default");
    vocabulary.add("a");
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(tokenizer.special(LLM_SPECIAL_END) == LLM_TOKEN_NONE);
    BOOST_TEST(tokenizer.special(LLM_SPECIAL_BEGIN) == LLM_TOKEN_NONE);
}

BOOST_AUTO_TEST_CASE(scores_of_a_wrong_number_or_kind) {
    auto file = small_file();
    file.set_array<float>("tokenizer.ggml.scores", {0, 0, 0});
    const std::string error = error_of(file);
    BOOST_TEST((has(error, "scores") && has(error, "3") && has(error, "4")));
    file.set_array<float>("tokenizer.ggml.scores", {0, 0, 0, 0, 0});
    error_of(file);
    file.set_array<float>("tokenizer.ggml.scores", {0, 0, 0, std::numeric_limits<float>::quiet_NaN()});
    BOOST_TEST(has(error_of(file), "scores[3]"));
    file.set_array<uint8_t>("tokenizer.ggml.scores", {0, 0, 0, 0});
    BOOST_TEST(has(error_of(file), "scores"));
    file.set_strings("tokenizer.ggml.scores", {"0", "0", "0", "0"});
    error_of(file);
    file.remove("tokenizer.ggml.scores");
    BOOST_TEST(has(error_of(file), "scores"));
}

BOOST_AUTO_TEST_CASE(token_types_of_a_wrong_number) {
    auto file = small_file();
    file.set_array<int32_t>("tokenizer.ggml.token_type", {2, 3, 3});
    const std::string error = error_of(file);
    BOOST_TEST((has(error, "token_type") && has(error, "3") && has(error, "4")));
}

BOOST_AUTO_TEST_CASE(special_ids_out_of_range) {
    for (const char *key :
         {"bos", "eos", "eot", "eom", "unknown", "padding", "seperator", "mask", "fim_pre", "fim_pad"}) {
        const std::string name = concat("tokenizer.ggml.", key, "_token_id");
        for (const uint32_t id : {4u, 1u << 31, std::numeric_limits<uint32_t>::max()}) {
            BOOST_TEST(has(error_of(small_file().set(name, id)), name));
        }
        BOOST_TEST(has(error_of(small_file().set<int32_t>(name, -2)), name));
        open(small_file().set<int32_t>(name, -1));
    }
    BOOST_TEST(open(small_file().set<int32_t>("tokenizer.ggml.eos_token_id", -1))->special(LLM_SPECIAL_END) ==
               LLM_TOKEN_NONE);
    auto file = small_file();
    file.set_array<uint32_t>("tokenizer.ggml.eos_token_ids", {2, 9});
    BOOST_TEST(has(error_of(file), "eos_token_ids"));
}

BOOST_AUTO_TEST_CASE(a_token_to_add_must_exist) {
    auto file = small_file();
    file.remove("tokenizer.ggml.bos_token_id");
    open(file);  // that it is added by default means nothing then
    file.set("tokenizer.ggml.add_bos_token", true);
    BOOST_TEST(has(error_of(file), "add_bos_token"));
    file = small_file();
    file.remove("tokenizer.ggml.eos_token_id").set("tokenizer.ggml.add_eos_token", true);
    BOOST_TEST(has(error_of(file), "add_eos_token"));
}

BOOST_AUTO_TEST_CASE(equal_tokens_load_and_the_lowest_one_is_chosen) {
    TinyVocabulary vocabulary = sentence_pieces();
    const llm_token first = vocabulary.add("a");
    const llm_token second = vocabulary.add("a");
    const llm_token prefix = vocabulary.add("\u2581");
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST((tokenizer.tokenize("a", false, false) == std::vector<llm_token>{prefix, first}));
    BOOST_TEST(tokenizer.detokenize(std::vector{second, first}, false) == "aa");
}

BOOST_AUTO_TEST_CASE(empty_tokens_never_match) {
    TinyVocabulary vocabulary = byte_level();
    vocabulary.add("", TokenType::user_defined);
    vocabulary.add("", TokenType::control);
    vocabulary.add("");
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST((tokenizer.tokenize("ab", false, true) == std::vector<llm_token>{'a', 'b'}));
    BOOST_TEST(tokenizer.detokenize(std::vector<llm_token>{256, 'a', 257, 258}, true) == "a");
}

BOOST_AUTO_TEST_CASE(long_and_ill_formed_tokens_load) {
    TinyVocabulary vocabulary = byte_level();
    vocabulary.add(std::string(1 << 20, 'x'), TokenType::user_defined);
    const llm_token ill_formed = vocabulary.add("\xFF\xE4", TokenType::user_defined);
    const llm_token outside = vocabulary.add("\u4F60");  // no letter of the byte alphabet
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST((tokenizer.tokenize("a\xFF\xE4", false, false) == std::vector<llm_token>{'a', ill_formed}));
    BOOST_TEST(tokenizer.detokenize(std::vector{outside}, false) == "\u4F60");
}

BOOST_AUTO_TEST_CASE(only_two_hexadecimal_digits_spell_a_byte) {
    TinyVocabulary vocabulary("llama", "default");
    vocabulary.add_special(SpecialToken::unknown, "<unk>", TokenType::unknown);
    for (const char *text : {"<0x-1>", "<0xZZ>", "<0x1>", "<0x100>", "<0X41>", "<0x4 >", "0x41"}) {
        const llm_token token = vocabulary.add(text, TokenType::byte);
        const Tokenizer tokenizer(vocabulary.data);
        BOOST_TEST(tokenizer.info(token).attributes == LLM_TOKEN_NORMAL);
        BOOST_TEST(tokenizer.detokenize(std::vector{token}, false) == text);
    }
    const llm_token first = vocabulary.add("<0x4a>", TokenType::byte);
    vocabulary.add("<0x4A>", TokenType::byte);
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST(tokenizer.vocabulary().byte_token('J') == first);  // the same byte twice: the lowest one
    BOOST_TEST(tokenizer.detokenize(std::vector{first, first + 1}, false) == "JJ");
}

BOOST_AUTO_TEST_CASE(merges_that_cannot_be_used_are_skipped) {
    TinyVocabulary vocabulary = byte_level();
    const llm_token ab = vocabulary.add("ab");
    for (const char *merge : {"", " ", "ab", "a  b", "a unknown", "unknown b", "b a", "a b", "a b"}) {
        vocabulary.data.merges.push_back(merge);
    }
    const Tokenizer tokenizer(vocabulary.data);
    BOOST_TEST((tokenizer.tokenize("abba", false, false) == std::vector<llm_token>{ab, 'b', 'a'}));
}

BOOST_AUTO_TEST_CASE(models_and_pre_tokenizers_that_are_not_known) {
    const auto unsupported = [](const GgufBuilder &file) { return error_of(file, LLM_ERROR_UNSUPPORTED); };
    BOOST_TEST(has(unsupported(small_file().set("tokenizer.ggml.model", "rwkv")), "'rwkv'"));
    BOOST_TEST(has(unsupported(small_file().set("tokenizer.ggml.model", "")), "tokenizer.ggml.model"));
    BOOST_TEST(has(unsupported(small_file().remove("tokenizer.ggml.model")), "tokenizer.ggml.model"));
    BOOST_TEST(has(unsupported(small_file().set<uint32_t>("tokenizer.ggml.model", 1)), "tokenizer.ggml.model"));
    auto file = small_file().set("tokenizer.ggml.model", "gpt2");
    BOOST_TEST(has(unsupported(file), "tokenizer.ggml.pre is missing"));
    BOOST_TEST(has(unsupported(file.set("tokenizer.ggml.pre", "")), "tokenizer.ggml.pre is missing"));
    BOOST_TEST(has(unsupported(file.set("tokenizer.ggml.pre", "newest")), "'newest'"));
    BOOST_TEST(has(unsupported(file), "option pre_tokenizer"));
    BOOST_TEST(open(file, "gpt-2")->size() == 4);
    error_of(LLM_ERROR_UNSUPPORTED, [&] { open(file, "unheard of"); });

    BOOST_TEST(Tokenizer::supports("gpt2", "qwen2"));
    BOOST_TEST(!Tokenizer::supports("gpt2", "newest"));
    BOOST_TEST(!Tokenizer::supports("gpt2", ""));
    BOOST_TEST(Tokenizer::supports("llama", ""));
    BOOST_TEST(Tokenizer::supports_model("gpt2"));
    BOOST_TEST(!Tokenizer::supports_model("rwkv"));
}

BOOST_AUTO_TEST_CASE(tokens_that_end_a_generation) {
    TinyVocabulary vocabulary = byte_level();
    const llm_token end = vocabulary.add_special(SpecialToken::end, "<fin>");
    const llm_token message = vocabulary.add_special(SpecialToken::end_of_message, "<fin-message>");
    const llm_token further = vocabulary.add("<fin-too>", TokenType::control);
    vocabulary.data.further_ends = {further};
    const llm_token turn = vocabulary.add("<|im_end|>");  // a normal token by its type, but known by its spelling
    const llm_token text_end = vocabulary.add("<|endoftext|>", TokenType::control);
    const llm_token start = vocabulary.add("<|im_start|>", TokenType::control);
    const llm_token prefix = vocabulary.add("<|fim_prefix|>");
    const Tokenizer tokenizer(vocabulary.data);
    for (const llm_token token : {end, message, further, turn, text_end}) BOOST_TEST(tokenizer.ends_generation(token));
    for (const llm_token token : {start, prefix, llm_token{'a'}}) BOOST_TEST(!tokenizer.ends_generation(token));
    BOOST_TEST(tokenizer.special(LLM_SPECIAL_END_OF_TURN) == turn);
    BOOST_TEST(tokenizer.info(turn).attributes == (LLM_TOKEN_CONTROL | LLM_TOKEN_ENDS_GENERATION));
    BOOST_TEST(tokenizer.info(prefix).attributes == LLM_TOKEN_CONTROL);

    const llm_token named = vocabulary.add_special(SpecialToken::end_of_turn, "<over>");
    const Tokenizer other(vocabulary.data);
    BOOST_TEST(other.special(LLM_SPECIAL_END_OF_TURN) == named);
    BOOST_TEST(other.ends_generation(named));
    BOOST_TEST(other.ends_generation(turn));
}

BOOST_AUTO_TEST_CASE(a_file_without_token_types) {
    auto file = small_file();
    file.remove("tokenizer.ggml.token_type");
    file.set_strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x41>"});
    const auto tokenizer = open(file);
    BOOST_TEST(tokenizer->info(0).attributes == LLM_TOKEN_UNKNOWN);
    BOOST_TEST(tokenizer->info(1).attributes == LLM_TOKEN_CONTROL);
    BOOST_TEST(tokenizer->info(3).attributes == LLM_TOKEN_BYTE);
}

BOOST_AUTO_TEST_CASE(normalizer_tables_that_are_cut_or_wrong) {
    TinyVocabulary vocabulary("t5", "");
    vocabulary.add("\u2581", TokenType::normal, -1.0f);
    const auto with = [&](std::vector<uint8_t> table) {
        vocabulary.data.normalizer = table;
        return error_of(vocabulary);
    };
    for (const std::vector<uint8_t> &table : {std::vector<uint8_t>{1},
                                              {1, 2, 3},
                                              {4, 0, 0, 0},
                                              {255, 255, 255, 255, 0, 0, 0, 0},
                                              {2, 0, 0, 0, 0, 0, 0},
                                              {4, 0, 0, 0, 0, 0, 0, 0},
                                              {4, 0, 0, 0, 0, 0, 0, 0, 'x'}}) {
        BOOST_TEST(has(with(table), "precompiled_charsmap"));
    }
    // The root's children lie outside (offset 1 << 10), or lead back to the element that they come from.
    BOOST_TEST(has(with({4, 0, 0, 0, 0, 0, 16, 0, 0}), "leads to element"));
    std::vector<uint8_t> circle = {8, 0, 0, 0, /*root: offset 0*/ 0, 0, 0, 0, /*label 1, offset 1*/ 1, 4, 0, 0, 0};
    BOOST_TEST(has(with(circle), "circle"));
}

}  // namespace llm::test
