// Fuzz target: a template, a zero byte, and a request. Rendering fails only with an Error and one line of text; what a
// guarded rendering gives is, with the substitutes put back, what an unguarded one gives or refuses, unless the
// template looks at what was replaced.
#include "base/error.h"
#include "text/chat_template.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace llm;

void require(bool condition) {
    if (!condition) std::abort();
}

// Every "<" is taken for the beginning of a control token.
void mark_all(std::string_view text, std::span<uint8_t> marks) {
    for (size_t i = 0; i < text.size(); ++i)
        if (text[i] == '<') marks[i] = mark_control;
}

void render(const ChatTemplateInput &input, const SpellingMarker *marker) {
    try {
        const RenderedChat chat = render_chat_template(input, marker);
        if (!marker) {
            require(chat.substitutes.empty());
            return;
        }
        for (const auto &[standing_in, original] : chat.substitutes)
            require(original == U'<' && standing_in != original);
        require(chat.restored(chat.restored(chat.text)) == chat.restored(chat.text));
    } catch (const Error &error) {
        require(error.status() == LLM_ERROR_ARGUMENT || error.status() == LLM_ERROR_TEMPLATE ||
                error.status() == LLM_ERROR_LIMIT);
        require(std::string_view(error.what()).find('\n') == std::string_view::npos);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    const size_t middle = bytes.find('\0');
    ChatTemplateInput input;
    input.template_text = bytes.substr(0, middle);
    input.request = R"({"messages": [{"role": "user", "content": "<a> b\n"}, {"role": "assistant", "content": null}]})";
    if (middle != std::string_view::npos) input.request = bytes.substr(middle + 1);
    input.special = {{"bos_token", "<s>"}};
    const SpellingMarker marker = mark_all;
    render(input, nullptr);
    render(input, &marker);
    return 0;
}
