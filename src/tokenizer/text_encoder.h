// Turns plain text, without special tokens, into tokens: one class for each kind of tokenizer.
#pragma once

#include "tokenizer/piece_cache.h"
#include "tokenizer/regex.h"
#include "tokenizer/vocabulary.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// What one tokenization needs besides its input and output.
struct EncodeScratch {
    explicit EncodeScratch(std::string_view text) : whole_text(text), regex(text.size()), cache(text.size()) {}

    std::string_view whole_text;
    RegexScratch regex;
    PieceCache cache;
    std::string changed_text;  // for an encoder that changes the text first; grows by what each encode() adds
};

class TextEncoder {
public:
    virtual ~TextEncoder() = default;

    // Appends the tokens of a part of a text that holds no special token. `first`: it begins the text or follows a
    // special token. The parts of one tokenization lie in scratch.whole_text.
    // LLM_ERROR_VOCABULARY for what the vocabulary cannot express.
    virtual void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                        bool first) const = 0;
};

}  // namespace llm
