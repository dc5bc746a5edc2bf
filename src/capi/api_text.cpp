// Text to token ids and back.
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

namespace {

const Tokenizer &tokenizer_of(const llm_model *model) {
    if (const Tokenizer *tokenizer = required(model, "model").model->tokenizer()) return *tokenizer;
    fail(LLM_ERROR_STATE, "the model was opened for its metadata only");
}

void check_flags(uint32_t flags, uint32_t known) {
    if (flags & ~known) fail(LLM_ERROR_ARGUMENT, "flags ", flags, ", known are ", known);
}

void check_token(llm_token token, const Tokenizer &tokenizer) {
    if (token < 0 || static_cast<uint32_t>(token) >= tokenizer.size())
        fail(LLM_ERROR_ARGUMENT, "token ", token, ", the vocabulary has ", tokenizer.size());
}

}  // namespace

llm_status llm_tokenize(llm_token *out, size_t capacity, size_t *count, const llm_model *model, const char *text,
                        size_t text_length, uint32_t flags) {
    return barrier([&]() -> llm_status {
        check_flags(flags, LLM_TOKENIZE_ADD_SPECIAL | LLM_TOKENIZE_PARSE_SPECIAL);
        const auto bytes = read_array(text, text_length, "text");
        const std::vector<llm_token> tokens =
            tokenizer_of(model).tokenize({bytes.data(), bytes.size()}, (flags & LLM_TOKENIZE_ADD_SPECIAL) != 0,
                                         (flags & LLM_TOKENIZE_PARSE_SPECIAL) != 0);
        return write_buffer<llm_token>(out, capacity, count, tokens);
    });
}

llm_status llm_detokenize(char *out, size_t capacity, size_t *length, const llm_model *model, const llm_token *tokens,
                          size_t count, uint32_t flags) {
    return barrier([&]() -> llm_status {
        check_flags(flags, LLM_DETOKENIZE_SPECIAL);
        const Tokenizer &tokenizer = tokenizer_of(model);
        const auto ids = read_array(tokens, count, "tokens");
        for (const llm_token token : ids) check_token(token, tokenizer);
        return write_text(out, capacity, length, tokenizer.detokenize(ids, (flags & LLM_DETOKENIZE_SPECIAL) != 0));
    });
}

llm_status llm_token_piece(char *out, size_t capacity, size_t *length, const llm_model *model, llm_token token,
                           uint32_t flags) {
    return barrier([&]() -> llm_status {
        check_flags(flags, LLM_DETOKENIZE_SPECIAL);
        const Tokenizer &tokenizer = tokenizer_of(model);
        check_token(token, tokenizer);
        std::string piece;
        tokenizer.append_piece(piece, token, (flags & LLM_DETOKENIZE_SPECIAL) != 0);
        return write_text(out, capacity, length, piece);
    });
}

llm_status llm_token_get_info(llm_token_info *out, const llm_model *model, llm_token token) {
    return barrier([&]() -> llm_status {
        const Tokenizer &tokenizer = tokenizer_of(model);
        check_token(token, tokenizer);
        const TokenInfo &token_info = tokenizer.info(token);
        llm_token_info info = LLM_TOKEN_INFO_INIT;
        info.text = token_info.text.data();
        info.text_length = token_info.text.size();
        info.score = token_info.score;
        info.attributes = token_info.attributes;
        write_result(out, "out", info);
        return LLM_OK;
    });
}

llm_token llm_special_token(const llm_model *model, llm_special which) {
    return value_of(model, LLM_TOKEN_NONE, [which](const ModelRecord &record) {
        const Tokenizer *tokenizer = record.model->tokenizer();
        return tokenizer ? tokenizer->special(which) : LLM_TOKEN_NONE;
    });
}
