#include "engine/chat.h"

#include "base/error.h"
#include "text/chat_template.h"
#include "tokenizer/control_spellings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace llm {

namespace {

constexpr std::string_view template_key = "tokenizer.chat_template";
constexpr std::string_view tools_template_name = "tool_use";

// The name of the template that a key holds.
std::optional<std::string_view> template_name(const GgufKey &key) {
    std::string_view name = key.name;
    if (key.type != ValueType::string || !name.starts_with(template_key)) return std::nullopt;
    name.remove_prefix(template_key.size());
    if (name.empty()) return default_chat_template_name;
    if (name.size() < 2 || name.front() != '.') return std::nullopt;
    return name.substr(1);
}

// The variables by which templates know the vocabulary's special tokens.
std::vector<ChatTemplateInput::Special> special_variables(const Vocabulary &vocabulary) {
    constexpr std::array<std::pair<std::string_view, SpecialToken>, 5> kinds = {{
        {"bos_token", SpecialToken::begin},
        {"eos_token", SpecialToken::end},
        {"unk_token", SpecialToken::unknown},
        {"pad_token", SpecialToken::padding},
        {"sep_token", SpecialToken::separator},
    }};
    std::vector<ChatTemplateInput::Special> out;
    for (const auto &[name, kind] : kinds) {
        const llm_token token = vocabulary.special(kind);
        if (token != LLM_TOKEN_NONE) out.push_back({name, vocabulary.text(token)});
    }
    return out;
}

ChatTemplateInput template_input(const Model &model, std::string_view request, const ChatOptions &options) {
    ChatTemplateInput input;
    input.request = request;
    input.special = special_variables(model.tokenizer()->vocabulary());
    input.generation_tags = options.generation_tags;
    input.now = options.now;
    input.utc_offset = options.utc_offset;
    if (options.template_text) {
        input.template_text = *options.template_text;
        return input;
    }
    const auto names = chat_template_names(model.file());
    if (options.template_name.empty() && std::ranges::count(names, tools_template_name) > 0)
        input.tools_template_text = chat_template(model.file(), tools_template_name);
    input.template_text = chat_template(model.file(), options.template_name);
    return input;
}

}  // namespace

std::vector<std::string_view> chat_template_names(const GgufFile &file) {
    std::vector<std::string_view> names;
    for (const GgufKey &key : file.keys())
        if (const auto name = template_name(key)) names.push_back(*name);
    return names;
}

std::string_view chat_template(const GgufFile &file, std::string_view name) {
    if (name.empty()) name = default_chat_template_name;
    for (const GgufKey &key : file.keys())
        if (template_name(key) == name) return file.get<std::string_view>(key.name);
    fail(LLM_ERROR_NOT_FOUND, "the file has no chat template ", quoted(name));
}

std::string render_chat(const Model &model, std::string_view request, const ChatOptions &options) {
    return render_chat_template(template_input(model, request, options), nullptr).text;
}

std::vector<llm_token> tokenize_chat(const Model &model, std::string_view request, const ChatOptions &options) {
    const Tokenizer &tokenizer = *model.tokenizer();
    const ChatTemplateInput input = template_input(model, request, options);
    if (!options.guard) return tokenizer.tokenize(render_chat_template(input, nullptr).text, false, true);
    const ControlSpellings spellings(tokenizer.vocabulary(), tokenizer.special_matcher());
    const SpellingMarker marker = [&](std::string_view text, std::span<uint8_t> marks) {
        spellings.mark(text, marks, mark_control, mark_ends_generation);
    };
    const RenderedChat chat = render_chat_template(input, &marker);
    return tokenizer.tokenize_guarded(chat.text, [&](std::string_view part) { return chat.restored(part); });
}

}  // namespace llm
