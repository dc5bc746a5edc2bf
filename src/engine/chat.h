// Conversations as prompts: the chat templates of a model's file.
#pragma once

#include "engine/model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

struct ChatOptions {
    std::optional<std::string_view> template_text;  // instead of the file's
    std::string_view template_name;                 // empty: the default, or for tools the one named "tool_use"
    bool guard = true;
    bool generation_tags = true;  // see ChatTemplateInput
    int64_t now = 0;
    int32_t utc_offset = 0;
};

inline constexpr std::string_view default_chat_template_name = "default";

// Names of the file's chat templates, in its order; they live as long as the model.
std::vector<std::string_view> chat_template_names(const GgufFile &file);

// The template of that name, an empty one being the default's. LLM_ERROR_NOT_FOUND.
std::string_view chat_template(const GgufFile &file, std::string_view name);

// The conversation as text, and as tokens. The model must have its tokenizer.
// LLM_ERROR_NOT_FOUND without a template, and as render_chat_template().
std::string render_chat(const Model &model, std::string_view request, const ChatOptions &options);
std::vector<llm_token> tokenize_chat(const Model &model, std::string_view request, const ChatOptions &options);

}  // namespace llm
