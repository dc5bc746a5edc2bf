// Calls of the C API that more than one sub-command makes.
#include "api.h"

namespace cli {

std::string last_error() {
    std::size_t length = 0;
    llm_last_error(nullptr, 0, &length);
    std::string text(length + 1, '\0');
    llm_last_error(text.data(), text.size(), &length);
    text.resize(length);
    return text;
}

void check(llm_status status) {
    if (status != LLM_OK) throw ApiError(status, last_error());
}

Model open_model(const std::string &path, const llm_model_options &options) {
    llm_model *model = nullptr;
    check(llm_model_open(&model, path.c_str(), &options));
    return Model(model);
}

Context new_context(llm_model *model, const llm_context_options &options) {
    llm_context *context = nullptr;
    check(llm_context_new(&context, model, &options));
    return Context(context);
}

Batch new_batch() {
    llm_batch *batch = nullptr;
    check(llm_batch_new(&batch));
    return Batch(batch);
}

std::vector<llm_token> tokenize(const llm_model *model, std::string_view text, std::uint32_t flags) {
    return fill<std::vector<llm_token>>([&](llm_token *out, std::size_t capacity, std::size_t *count) {
        return llm_tokenize(out, capacity, count, model, text.data(), text.size(), flags);
    });
}

std::string token_piece(const llm_model *model, llm_token token) {
    return fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_token_piece(out, capacity, length, model, token, LLM_DETOKENIZE_SPECIAL);
    });
}

llm_model_info model_info(const llm_model *model) {
    llm_model_info info = LLM_MODEL_INFO_INIT;
    check(llm_model_get_info(&info, model));
    return info;
}

std::vector<llm_tensor> tensors(const llm_model *model) {
    std::vector<llm_tensor> list(llm_tensor_count(model), llm_tensor LLM_TENSOR_INIT);
    for (std::size_t i = 0; i < list.size(); i++) check(llm_tensor_get(&list[i], model, i));
    return list;
}

std::vector<llm_option> option_table(llm_option_group group) {
    std::vector<llm_option> table(llm_option_count(group), llm_option LLM_OPTION_INIT);
    for (std::size_t i = 0; i < table.size(); i++) check(llm_option_describe(&table[i], group, i));
    return table;
}

}  // namespace cli
