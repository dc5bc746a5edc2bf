// Turns tokens into text, one after the other: what detokenizing and streaming have in common.
#pragma once

#include "tokenizer/vocabulary.h"

#include <string>

namespace llm {

class TextDecoder {
public:
    // Where the first token stands. The space that tokenizing put in front of a text is dropped only at its start.
    enum Place { start_of_text, inside_text };

    // `special`: control tokens are written as they are spelled, else left out. The vocabulary must outlive this.
    TextDecoder(const Vocabulary &vocabulary, bool special, Place place = start_of_text)
        : vocabulary_(vocabulary), special_(special), first_(place == start_of_text) {}

    // Appends the bytes of the next token, which must be in range.
    void append(std::string &out, llm_token token);

private:
    bool follows_like_a_start(llm_token token) const;
    void append_word_piece(std::string &out, llm_token token);

    const Vocabulary &vocabulary_;
    bool special_;
    bool first_;  // a space in front is not of the text
};

}  // namespace llm
