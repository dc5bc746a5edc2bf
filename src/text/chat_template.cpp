#include "text/chat_template.h"

#include "base/error.h"
#include "base/utf8.h"
#include "text/text.h"

#include <new>

namespace llm {

namespace {

llmtext_bytes bytes_of(std::string_view text) { return {text.data(), text.size()}; }

// No exception may pass through Rust.
int32_t call_marker(void *user, const char *text, size_t length, uint8_t *marks) noexcept {
    try {
        (*static_cast<const SpellingMarker *>(user))({text, length}, {marks, length});
        return 0;
    } catch (...) {
        return 1;
    }
}

struct Result : llmtext_result {
    Result() : llmtext_result{} {}
    ~Result() { llmtext_free(this); }
    Result(const Result &) = delete;
    Result &operator=(const Result &) = delete;

    std::string_view view() const { return {text, text == nullptr ? 0 : length}; }
};

void check(int32_t status, const Result &result) {
    switch (status) {
        case LLMTEXT_OK:
            return;
        case LLMTEXT_ERROR_REQUEST:
            fail(LLM_ERROR_ARGUMENT, "the request: ", result.view());
        case LLMTEXT_ERROR_TEMPLATE:
            fail(LLM_ERROR_TEMPLATE, "chat template: ", result.view());
        case LLMTEXT_ERROR_LIMIT:
            fail(LLM_ERROR_LIMIT, "chat template: ", result.view());
        case LLMTEXT_ERROR_MEMORY:
            throw std::bad_alloc();
        default:
            fail(LLM_ERROR_INTERNAL, "chat template: ", result.view());
    }
}

}  // namespace

std::string RenderedChat::restored(std::string_view part) const {
    if (substitutes.empty()) return std::string(part);
    std::string out;
    out.reserve(part.size());
    while (!part.empty()) {
        const Utf8Character character = decode_utf8(part);
        const auto *found = &substitutes[0];
        const auto *const end = found + substitutes.size();
        while (found != end && found->standing_in != character.code_point) ++found;
        if (found != end) {
            append_utf8(out, found->original);
        } else {
            out.append(part.substr(0, character.length));
        }
        part.remove_prefix(character.length);
    }
    return out;
}

bool has_chat_templates() { return true; }

RenderedChat render_chat_template(const ChatTemplateInput &input, const SpellingMarker *marker) {
    std::vector<llmtext_variable> special;
    for (const auto &[name, spelling] : input.special) special.push_back({bytes_of(name), bytes_of(spelling)});
    llmtext_chat chat{};
    chat.template_text = bytes_of(input.template_text);
    chat.tools_template_text = bytes_of(input.tools_template_text);
    chat.request = bytes_of(input.request);
    chat.special = special.data();
    chat.special_count = special.size();
    chat.now = input.now;
    chat.utc_offset = input.utc_offset;
    chat.generation_tags = input.generation_tags;
    if (marker) {
        chat.marker = call_marker;
        chat.marker_user = const_cast<SpellingMarker *>(marker);
    }
    Result result;
    check(llmtext_render(&result, &chat), result);
    RenderedChat out;
    out.text = result.view();
    for (size_t i = 0; i < result.substitute_count; ++i)
        out.substitutes.push_back({result.substitutes[i].standing_in, result.substitutes[i].original});
    return out;
}

}  // namespace llm
