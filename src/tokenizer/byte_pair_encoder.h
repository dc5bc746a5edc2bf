// Byte-level byte-pair encoding ("gpt2"): a pre-tokenizer cuts the text into pieces, and within each piece bytes are
// merged in the order that the file lists.
#pragma once

#include "tokenizer/pair_table.h"
#include "tokenizer/pre_tokenize.h"
#include "tokenizer/text_encoder.h"

namespace llm {

class BytePairEncoder final : public TextEncoder, private MergeModel {
public:
    BytePairEncoder(const Vocabulary &vocabulary, const PreTokenizer &pre_tokenizer,
                    std::span<const std::string_view> merges);

    void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text, bool first) const override;

private:
    void append_piece(std::vector<llm_token> &out, std::string_view piece) const;

    Symbol first_symbol(std::string_view text) const override;
    Merge find_merge(llm_token left, llm_token right, std::string_view joined) const override;
    void append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const override;

    const Vocabulary &vocabulary_;
    PieceCutter cutter_;
    PairTable pairs_;
    bool whole_word_first_;
    std::vector<llm_token> replacement_;  // of a byte that is never part of well-formed UTF-8 and has no token
};

}  // namespace llm
