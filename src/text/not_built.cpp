// Stands in for chat_template.cpp in a build without Rust.
#include "base/error.h"
#include "text/chat_template.h"

namespace llm {

std::string RenderedChat::restored(std::string_view part) const { return std::string(part); }

bool has_chat_templates() { return false; }

RenderedChat render_chat_template(const ChatTemplateInput &, const SpellingMarker *) {
    fail(LLM_ERROR_NOT_BUILT,
         "chat templates were left out of this build, which was made without Rust (LLM_WITH_TEXT)");
}

}  // namespace llm
