// Merging of characters: SentencePiece with scores ("llama"), and byte-pair encoding without a byte alphabet
// ("gemma4"). Both see spaces as U+2581 and write characters that no token covers as byte tokens.
#pragma once

#include "tokenizer/adjacency_filter.h"
#include "tokenizer/merge.h"
#include "tokenizer/pair_table.h"
#include "tokenizer/pre_tokenize.h"
#include "tokenizer/text_encoder.h"

#include <unordered_map>

namespace llm {

// What the two have in common. Here a space is a space everywhere, as in Vocabulary::piece(): it is U+2581 of the text
// that is changed into one.
class CharacterEncoder : public TextEncoder, protected MergeModel {
protected:
    explicit CharacterEncoder(const Vocabulary &vocabulary) : vocabulary_(vocabulary), filter_(vocabulary) {}

    // Appends the tokens of a text that is merged as a whole.
    void append_text(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                     bool space_prefix) const;

    Symbol first_symbol(std::string_view text) const override;
    void append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const override;

    const Vocabulary &vocabulary_;

private:
    void append_segment(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view segment) const;

    AdjacencyFilter filter_;
};

class SentencePieceEncoder final : public CharacterEncoder {
public:
    explicit SentencePieceEncoder(const Vocabulary &vocabulary);

    void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text, bool first) const override;

private:
    Merge find_merge(llm_token left, llm_token right, std::string_view joined) const override;
    void append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const override;

    // Unused tokens take part in merging, but in the end the tokens that they were merged from stand in their place.
    std::unordered_map<llm_token, std::vector<llm_token>> parts_of_unused_;
    llm_token kept_apart_ = LLM_TOKEN_NONE;  // while the parts of this one are looked for
};

class CharacterPairEncoder final : public CharacterEncoder {
public:
    CharacterPairEncoder(const Vocabulary &vocabulary, const PreTokenizer &pre_tokenizer,
                         std::span<const std::string_view> merges)
        : CharacterEncoder(vocabulary), cutter_(pre_tokenizer), pairs_(vocabulary, merges) {}

    void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text, bool first) const override;

private:
    Merge find_merge(llm_token left, llm_token right, std::string_view joined) const override;

    PieceCutter cutter_;
    PairTable pairs_;
};

}  // namespace llm
