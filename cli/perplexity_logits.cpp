#include "perplexity_logits.h"

namespace cli {
namespace {

// The token with which the model wants texts to begin, or LLM_TOKEN_NONE.
llm_token begin_token(const llm_model *model) {
    const llm_token begin = llm_special_token(model, LLM_SPECIAL_BEGIN);
    const std::vector<llm_token> added = tokenize(model, "", LLM_TOKENIZE_ADD_SPECIAL);
    return !added.empty() && added.front() == begin ? begin : LLM_TOKEN_NONE;
}

}  // namespace

Windows cut_windows(const llm_model *model, const std::string &text, std::size_t length, std::size_t limit) {
    Windows windows{.length = length, .tokens = tokenize(model, text, 0)};
    const llm_token begin = begin_token(model);
    if (begin != LLM_TOKEN_NONE) windows.tokens.insert(windows.tokens.begin(), begin);
    if (windows.tokens.size() < length)
        throw std::runtime_error("the text has " + std::to_string(windows.tokens.size()) +
                                 " tokens, but a window takes " + std::to_string(length) +
                                 "; --context-length makes windows shorter");
    const std::size_t count = limit > 0 ? std::min(windows.count(), limit) : windows.count();
    windows.tokens.resize(count * length);
    if (begin != LLM_TOKEN_NONE)
        for (std::size_t index = 0; index < count; index++) windows.tokens[index * length] = begin;
    return windows;
}

ModelLogits::ModelLogits(llm_context *context, const Windows &windows) : context_(context), windows_(windows) {
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    check(llm_context_get_info(&info, context));
    vocabulary_size_ = info.vocabulary_size;
}

void ModelLogits::begin(std::size_t window) {
    const std::span<const llm_token> tokens = windows_.window(window);
    check(llm_sequence_remove(context_, 0));
    check(llm_eval(context_, 0, tokens.data(), windows_.first_row(), LLM_EVAL_LOGITS_NONE));
    rest_ = tokens.subspan(windows_.first_row());
}

void ModelLogits::advance(std::size_t count) {
    check(llm_eval(context_, 0, rest_.data(), count, LLM_EVAL_LOGITS_ALL));
    rest_ = rest_.subspan(count);
}

std::span<const float> ModelLogits::row(std::size_t index) {
    const float *logits = nullptr;
    check(llm_logits(&logits, context_, std::int32_t(index)));
    return {logits, vocabulary_size_};
}

}  // namespace cli
