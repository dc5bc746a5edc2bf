// A file's tokens, checked once: after construction nothing that the file says can be wrong.
#pragma once

#include "tokenizer/token_map.h"
#include "tokenizer/vocabulary_data.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace llm {

// How a text is cut into tokens, which also says how tokens are spelled.
enum class TokenizerKind : uint8_t {
    byte_pairs,       // "gpt2": merges of bytes, which are spelled in the byte alphabet
    character_pairs,  // "gemma4": merges of characters; U+2581 is a space, <0xNN> a byte
    sentence_pieces,  // "llama": merges by the score of their result; spelled as before
    word_pieces,      // "bert": longest pieces of words; U+2581 begins a word
    unigrams,         // "t5": the pieces with the best sum of scores; U+2581 is a space
};

// Whether files of this tokenizer.ggml.model must name a pre-tokenizer too.
bool needs_pre_tokenizer(std::string_view model);

// The kind for a file's tokenizer.ggml.model and pre-tokenizer name; nothing when it is not supported.
std::optional<TokenizerKind> tokenizer_kind(std::string_view model, std::string_view pre_tokenizer);

struct VocabularyFlags {
    bool add_begin = false;
    bool add_end = false;        // in word pieces the separator
    bool add_separator = false;  // between two texts
    bool add_space_prefix = false;
    bool remove_extra_whitespace = false;
    bool lowercase = false;
    bool strip_accents = false;
};

class Vocabulary {
public:
    // LLM_ERROR_VOCABULARY, LLM_ERROR_LIMIT. `defaults` are for what the file does not say.
    Vocabulary(const VocabularyData &data, TokenizerKind kind, const VocabularyFlags &defaults);
    Vocabulary(const Vocabulary &) = delete;  // piece_ids_ points into pieces_

    TokenizerKind kind() const { return kind_; }
    uint32_t size() const { return static_cast<uint32_t>(attributes_.size()); }
    const VocabularyFlags &flags() const { return flags_; }

    // As the file spells the token, and the bytes that it stands for inside a text: spaces are spaces, bytes are bytes.
    std::string_view text(llm_token token) const { return texts_[token]; }
    std::string_view piece(llm_token token) const { return pieces_[token]; }
    float score(llm_token token) const { return scores_.empty() ? 0.0f : scores_[token]; }
    uint32_t attributes(llm_token token) const { return attributes_[token]; }  // LLM_TOKEN_*
    bool has(llm_token token, uint32_t attribute) const { return (attributes_[token] & attribute) != 0; }

    llm_token special(SpecialToken which) const { return special_[static_cast<size_t>(which)]; }

    // Whether plain text may turn into the token: not into a control, unknown or byte token.
    bool comes_from_text(llm_token token) const;

    // The token of that kind by the bytes of its piece, the lowest one when several are equal; LLM_TOKEN_NONE when
    // there is none.
    llm_token find_piece(std::string_view piece) const { return piece_ids_.find(piece); }

    // The token for a byte that no piece covers, or LLM_TOKEN_NONE.
    llm_token byte_token(uint8_t byte) const { return byte_tokens_[byte]; }

    // Appends the bytes that a token stands for whose text is only its spelling: one that is not special.
    void append_spelled(std::string &out, std::string_view spelling) const;

    // Appends what stands for a character without a token: a token for each of its bytes, or else the unknown token,
    // one for a row of such characters. LLM_ERROR_VOCABULARY when there is neither.
    void append_fallback(std::vector<llm_token> &out, std::string_view character) const;

    // The unknown token, or LLM_TOKEN_NONE when it must not stand for text: some files name one that ends the text,
    // which a text must not be able to forge.
    llm_token unknown_in_text() const;

private:
    void add_tokens(const VocabularyData &data);
    void add_scores(const VocabularyData &data);
    void add_special(const VocabularyData &data);
    void add_word_piece_special();
    void mark_special(bool types_missing);
    void add_well_known();
    void add_lookups();
    void append_piece(std::string &out, llm_token token) const;

    TokenizerKind kind_;
    VocabularyFlags flags_;
    StringTable texts_;
    StringTable pieces_;
    std::vector<float> scores_;
    std::vector<uint8_t> attributes_;
    std::array<llm_token, special_token_count> special_;
    bool names_end_of_turn_ = false;
    std::array<llm_token, 256> byte_tokens_;
    TokenMap piece_ids_;
};

}  // namespace llm
