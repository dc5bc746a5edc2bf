// Conversations to text and token ids.
#include "base/local_time.h"
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"
#include "engine/chat.h"

using namespace llm;

namespace {

ChatOptions to_chat_options(const llm_chat_options *given) {
    const llm_chat_options options = read_options(given, llm_chat_options LLM_CHAT_OPTIONS_INIT);
    check_options(&options, LLM_OPTIONS_CHAT);
    ChatOptions out;
    if (options.template_text) out.template_text = {options.template_text, options.template_length};
    if (options.template_name) out.template_name = options.template_name;
    out.guard = options.guard != 0;
    const bool automatic = options.generation_tags == LLM_CHAT_TAGS_AUTO;
    out.generation_tags = automatic ? !options.template_text : options.generation_tags != 0;
    const bool system_clock = options.now == LLM_CHAT_NOW;
    const LocalTime time = system_clock ? local_time() : LocalTime{options.now, options.utc_offset};
    out.now = time.now;
    out.utc_offset = time.utc_offset;
    return out;
}

const Model &model_with_tokenizer(const llm_model *model) {
    const Model &inner = *required(model, "model").model;
    if (!inner.tokenizer()) fail(LLM_ERROR_STATE, "the model was opened for its metadata only");
    return inner;
}

std::string_view read_text(const char *text, size_t length, const char *name) {
    const auto bytes = read_array(text, length, name);
    return {bytes.data(), bytes.size()};
}

}  // namespace

llm_status llm_chat_tokenize(llm_token *out, size_t capacity, size_t *count, const llm_model *model,
                             const char *request, size_t request_length, const llm_chat_options *options) {
    return barrier([&]() -> llm_status {
        const std::string_view text = read_text(request, request_length, "request");
        const auto tokens = tokenize_chat(model_with_tokenizer(model), text, to_chat_options(options));
        return write_buffer<llm_token>(out, capacity, count, tokens);
    });
}

llm_status llm_chat_render(char *out, size_t capacity, size_t *length, const llm_model *model, const char *request,
                           size_t request_length, const llm_chat_options *options) {
    return barrier([&]() -> llm_status {
        const std::string_view text = read_text(request, request_length, "request");
        const std::string prompt = render_chat(model_with_tokenizer(model), text, to_chat_options(options));
        return write_text(out, capacity, length, prompt);
    });
}

llm_status llm_chat_template(char *out, size_t capacity, size_t *length, const llm_model *model, const char *name) {
    return barrier([&]() -> llm_status {
        const GgufFile &file = required(model, "model").model->file();
        return write_text(out, capacity, length, chat_template(file, name ? name : ""));
    });
}

llm_status llm_chat_template_name(char *out, size_t capacity, size_t *length, const llm_model *model, size_t index) {
    return barrier([&]() -> llm_status {
        const auto names = chat_template_names(required(model, "model").model->file());
        if (index >= names.size()) fail(LLM_ERROR_NOT_FOUND, "chat template ", index, " of ", names.size());
        return write_text(out, capacity, length, names[index]);
    });
}
