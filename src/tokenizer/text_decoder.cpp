#include "tokenizer/text_decoder.h"

namespace llm {

void TextDecoder::append(std::string &out, llm_token token) {
    const bool first = first_;
    first_ = follows_like_a_start(token);
    if (vocabulary_.has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN)) {
        if (special_) out.append(vocabulary_.text(token));
        return;
    }
    std::string_view piece = vocabulary_.piece(token);
    const bool is_text = !vocabulary_.has(token, LLM_TOKEN_USER_DEFINED | LLM_TOKEN_BYTE);
    if (first && is_text && vocabulary_.flags().add_space_prefix && piece.starts_with(' ')) piece.remove_prefix(1);
    out.append(piece);
}

// What follows a special token is tokenized as if a text began there. An unknown token is special too, except in
// vocabularies without byte tokens, where it stands for text.
bool TextDecoder::follows_like_a_start(llm_token token) const {
    if (vocabulary_.has(token, LLM_TOKEN_UNKNOWN)) return vocabulary_.byte_token(0) != LLM_TOKEN_NONE;
    return vocabulary_.has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_USER_DEFINED);
}

}  // namespace llm
