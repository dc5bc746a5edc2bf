// Small vocabularies for tests, which own their texts.
#pragma once

#include "base/utf8.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/vocabulary_data.h"

#include <cstdio>
#include <deque>
#include <string>
#include <string_view>

namespace llm::test {

class TinyVocabulary {
public:
    TinyVocabulary(std::string_view model, std::string_view pre_tokenizer) {
        data.model = model;
        data.pre_tokenizer = pre_tokenizer;
    }

    llm_token add(std::string_view text, TokenType type = TokenType::normal, float score = 0.0f) {
        data.tokens.push_back(keep(text));
        data.types.push_back(static_cast<int64_t>(type));
        data.scores.push_back(score);
        return static_cast<llm_token>(data.tokens.size() - 1);
    }

    // A token with a role.
    llm_token add_special(SpecialToken which, std::string_view text, TokenType type = TokenType::control) {
        const llm_token token = add(text, type);
        data.special[static_cast<size_t>(which)] = token;
        return token;
    }

    // All 256 bytes: as letters of the byte alphabet, or as <0x00> to <0xFF>.
    void add_byte_letters() {
        for (int byte = 0; byte < 256; ++byte) add(spelled(std::string(1, static_cast<char>(byte))));
    }
    void add_byte_tokens() {
        for (int byte = 0; byte < 256; ++byte) {
            char text[8];
            std::snprintf(text, sizeof text, "<0x%02X>", byte);
            add(text, TokenType::byte);
        }
    }

    // A merge of two texts and the token that it gives, in the byte alphabet. Returns the token.
    llm_token add_byte_merge(std::string_view left, std::string_view right) {
        const std::string first = spelled(left);
        const std::string second = spelled(right);
        data.merges.push_back(keep(first + " " + second));
        return add(first + second);
    }

    static std::string spelled(std::string_view bytes) {
        std::string out;
        for (const char byte : bytes) append_utf8(out, byte_alphabet_character(static_cast<uint8_t>(byte)));
        return out;
    }

    std::string_view keep(std::string_view text) { return texts_.emplace_back(text); }

    VocabularyData data;

private:
    std::deque<std::string> texts_;
};

// "gpt2" with the 256 bytes as tokens 0 to 255.
inline TinyVocabulary byte_level(std::string_view pre_tokenizer = "gpt-2") {
    TinyVocabulary vocabulary("gpt2", pre_tokenizer);
    vocabulary.add_byte_letters();
    return vocabulary;
}

// "llama" with <unk>, <s> and </s> as 0 to 2 and byte tokens from 3 on.
inline TinyVocabulary sentence_pieces() {
    TinyVocabulary vocabulary("llama", "default");
    vocabulary.add_special(SpecialToken::unknown, "<unk>", TokenType::unknown);
    vocabulary.add_special(SpecialToken::begin, "<s>");
    vocabulary.add_special(SpecialToken::end, "</s>");
    vocabulary.add_byte_tokens();
    return vocabulary;
}

}  // namespace llm::test
