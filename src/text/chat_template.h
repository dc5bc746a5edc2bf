// Renders conversations with chat templates. The work is done in Rust (text.h), if that is built.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

struct ChatTemplateInput {
    struct Special {
        std::string_view name, spelling;  // "bos_token", "<s>"
    };

    std::string_view template_text;
    std::string_view tools_template_text;  // if not empty: takes its place for a request with tools
    std::string_view request;              // JSON
    std::vector<Special> special;
    bool generation_tags = true;  // whether the tags by which trainers mark the assistant's turns are read over
    int64_t now = 0;              // seconds since 1970 in UTC
    int32_t utc_offset = 0;       // seconds that local time is ahead of UTC
};

inline constexpr uint8_t mark_control = 1;          // the spelling of a control token begins at this byte
inline constexpr uint8_t mark_ends_generation = 2;  // ... of one that ends a generation, too

// Sets marks in `marks`, one zeroed byte for each byte of the text.
using SpellingMarker = std::function<void(std::string_view text, std::span<uint8_t> marks)>;

struct RenderedChat {
    struct Substitute {
        char32_t standing_in, original;
    };

    // The text with every substitute replaced by what it stands for.
    std::string restored(std::string_view text) const;

    std::string text;
    // In a guarded text: characters that stand for the first one of a control token's spelling, wherever such a
    // spelling comes from the request. They occur nowhere else.
    std::vector<Substitute> substitutes;
};

// Whether this build can.
bool has_chat_templates();

// `marker`: nullptr for a text that is not guarded.
// LLM_ERROR_ARGUMENT for a wrong request, LLM_ERROR_TEMPLATE, LLM_ERROR_LIMIT, LLM_ERROR_NOT_BUILT.
RenderedChat render_chat_template(const ChatTemplateInput &input, const SpellingMarker *marker);

}  // namespace llm
