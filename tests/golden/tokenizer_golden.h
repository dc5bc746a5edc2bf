// Compares a vocabulary's token ids with recorded ones: 313 texts, special tokens parsed and not.
#pragma once

#include "base/error.h"
#include "base/utf8.h"
#include "gguf/gguf_file.h"
#include "io/byte_source.h"
#include "support/test_data.h"
#include "tokenizer/tokenizer.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace llm::test {

inline nlohmann::json read_json(const std::string &name) {
    return nlohmann::json::parse(std::ifstream(data_folder() / name));
}

// Special tokens of Phi-3 swallow the white space after them, which no decoder can give back.
inline bool loses_white_space(std::string_view ids_name, std::string_view text) {
    return ids_name == "phi-3" && text.find("</s>") != std::string_view::npos;
}

inline void check_ids(const Tokenizer &tokenizer, const std::string &ids_name) {
    const nlohmann::json texts = read_json("tokenizer/texts.json")["texts"];
    const nlohmann::json ids = read_json(concat("tokenizer/", ids_name, ".ids.json"));
    BOOST_REQUIRE_EQUAL(texts.size(), 313);
    for (const bool parse_special : {false, true}) {
        const nlohmann::json &expected = ids[parse_special ? "special" : "plain"];
        BOOST_REQUIRE_EQUAL(expected.size(), texts.size());
        for (size_t index = 0; index < texts.size(); ++index) {
            const auto text = texts[index].get<std::string>();
            BOOST_TEST_CONTEXT(ids_name << ", text " << index << " " << quoted(text) << ", special " << parse_special) {
                const std::vector<llm_token> found = tokenizer.tokenize(text, false, parse_special);
                BOOST_TEST(found == expected[index].get<std::vector<llm_token>>(), boost::test_tools::per_element());
                if (parse_special && loses_white_space(ids_name, text)) continue;
                BOOST_TEST(tokenizer.detokenize(found, true) == text);
            }
        }
    }
}

// Letters of many scripts, digits, spaces, symbols, emoji, and now and then any character at all.
inline std::string random_text(std::mt19937 &random) {
    constexpr std::pair<char32_t, char32_t> ranges[] = {
        {0x20, 0x7E},       {0x20, 0x7E},       {0x61, 0x7A},       {0x30, 0x39},     {0x20, 0x20},
        {0x09, 0x0D},       {0xA0, 0x24F},      {0x300, 0x36F},     {0x370, 0x5FF},   {0x600, 0x6FF},
        {0x900, 0xDFF},     {0x2000, 0x206F},   {0x2190, 0x2580},   {0x2582, 0x2BFF}, {0x3000, 0x30FF},
        {0x4E00, 0x9FFF},   {0xAC00, 0xD7A3},   {0xE000, 0xFFFF},   {0x80, 0x2580},   {0x2582, 0xD7FF},
        {0x10000, 0x3FFFF}, {0x1F300, 0x1FAFF}, {0x10000, 0x10FFFF}};
    std::string text;
    for (uint32_t count = random() % 40; count > 0; --count) {
        const auto &[first, last] = ranges[random() % std::size(ranges)];
        const char32_t character = first + static_cast<char32_t>(random() % (last - first + 1));
        for (uint32_t copies = random() % 8 == 0 ? 1 + random() % 6 : 1; copies > 0; --copies) {
            append_utf8(text, character);
        }
    }
    return text;
}

// Texts in characters that the vocabulary has bytes for come back as they were.
inline void check_round_trips(const Tokenizer &tokenizer) {
    std::mt19937 random(20240607);
    int checked = 0;
    for (int round = 0; round < 10000; ++round) {
        const std::string text = random_text(random);
        const bool expressible = std::ranges::all_of(text, [&](char byte) {
            return tokenizer.vocabulary().byte_token(static_cast<uint8_t>(byte)) != LLM_TOKEN_NONE;
        });
        if (!expressible) continue;
        ++checked;
        const std::vector<llm_token> tokens = tokenizer.tokenize(text, false, false);
        BOOST_TEST_REQUIRE(tokenizer.detokenize(tokens, false) == text, "round " << round << ": " << quoted(text));
    }
    BOOST_TEST(checked > 5000);
}

inline void check_vocabulary(const std::string &path, const std::string &ids_name) {
    const auto source = open_file_source(path);
    const Tokenizer tokenizer(GgufFile::parse(*source));
    check_ids(tokenizer, ids_name);
    check_round_trips(tokenizer);
}

// The vocabulary inside the model that an environment variable names, or that lies in the folder LLM_TEST_MODELS.
inline void check_model(const char *variable, const std::string &ids_name) {
    const std::string file_name = concat(ids_name, ".gguf");
    std::filesystem::path path;
    if (const char *named = std::getenv(variable)) {
        path = named;
    } else if (const char *folder = std::getenv("LLM_TEST_MODELS")) {
        path = std::filesystem::path(folder) / file_name;
    }
    if (path.empty() || !std::filesystem::exists(path)) {
        std::printf("SKIPPED: neither %s nor LLM_TEST_MODELS leads to %s\n", variable, file_name.c_str());
        return;
    }
    if (have_data(concat("tokenizer/", ids_name, ".ids.json"))) check_vocabulary(path.string(), ids_name);
}

}  // namespace llm::test
