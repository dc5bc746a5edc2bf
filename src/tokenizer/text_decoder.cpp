#include "tokenizer/text_decoder.h"

namespace llm {

namespace {

// Marks before which words of pieces have no space.
bool closes(std::string_view piece) { return piece == " ." || piece == " ," || piece == " ?" || piece == " !"; }

}  // namespace

void TextDecoder::append(std::string &out, llm_token token) {
    if (vocabulary_.kind() == TokenizerKind::word_pieces) {
        append_word_piece(out, token);
        return;
    }
    const bool first = std::exchange(first_, follows_like_a_start(token));
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

// Words are put together with spaces: the text that they came from is not known any more.
void TextDecoder::append_word_piece(std::string &out, llm_token token) {
    const bool special = vocabulary_.has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN);
    if (special && !special_) return;
    const bool first = std::exchange(first_, false);
    std::string_view piece = vocabulary_.piece(token);
    if (special && !first) out.push_back(' ');
    if (piece.starts_with(' ') && (first || closes(piece))) piece.remove_prefix(1);
    out.append(piece);
}

}  // namespace llm
