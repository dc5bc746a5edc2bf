// WordPiece ("bert"): the text is normalized and cut into words and punctuation marks, and each of them into the
// longest pieces from its start.
#pragma once

#include "tokenizer/pre_tokenize.h"
#include "tokenizer/text_encoder.h"
#include "tokenizer/token_automaton.h"

namespace llm {

class WordPieceEncoder final : public TextEncoder {
public:
    // LLM_ERROR_VOCABULARY when there is no token for unknown words.
    explicit WordPieceEncoder(const Vocabulary &vocabulary);

    void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text, bool first) const override;

private:
    void append_word(std::vector<llm_token> &out, std::string_view spaced_word) const;

    const Vocabulary &vocabulary_;
    llm_token unknown_;
    PieceCutter cutter_;
    TokenAutomaton pieces_;  // backward; a piece that begins a word has a space in front
};

}  // namespace llm
