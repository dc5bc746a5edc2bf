// Renders templates for the tests.
#pragma once

#include "base/error.h"
#include "text/chat_template.h"

#include <string>
#include <string_view>

namespace llm::test {

// 2026-07-26 12:00:00 UTC, a Sunday.
inline constexpr int64_t noon = 1785067200;

inline std::string rendered(std::string_view template_text, std::string_view request = R"({"messages": []})",
                            const SpellingMarker *marker = nullptr) {
    ChatTemplateInput input;
    input.template_text = template_text;
    input.request = request;
    input.special = {{"bos_token", "<s>"}, {"eos_token", "</s>"}};
    input.now = noon;
    return render_chat_template(input, marker).text;
}

// The status of a rendering, and the text of its error.
struct Outcome {
    llm_status status;
    std::string text;
};

inline Outcome outcome(std::string_view template_text, std::string_view request = R"({"messages": []})") {
    try {
        return {LLM_OK, rendered(template_text, request)};
    } catch (const Error &error) {
        return {error.status(), error.what()};
    }
}

}  // namespace llm::test
