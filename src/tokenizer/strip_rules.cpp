#include "tokenizer/strip_rules.h"

#include <algorithm>
#include <string>

namespace llm {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> others) {
    return std::ranges::find(others, text) != others.end();
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char &character : out) {
        if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    }
    return out;
}

// The mask token that stands for the word it hides and the space in front of it; empty when the model has none.
std::string_view mask_of(const VocabularyData &data) {
    if (is_one_of(data.pre_tokenizer, {"jina-v2-de", "jina-v2-es", "jina-v2-code"})) return "<mask>";
    if (is_one_of(data.architecture, {"nomic-bert-moe", "jina-bert-v3"})) return "<mask>";
    if (data.pre_tokenizer == "modern-bert" || lower_case(data.name).find("modern-bert") != std::string::npos)
        return "[MASK]";
    return {};
}

}  // namespace

std::vector<uint8_t> strip_rules(const VocabularyData &data, const Vocabulary &vocabulary) {
    const std::string_view mask = mask_of(data);
    const std::string name = lower_case(data.name);
    const bool is_phi3 = name.find("phi-3") != std::string::npos || name.find("phi3") != std::string::npos;
    if (mask.empty() && !is_phi3) return {};

    std::vector<uint8_t> rules(vocabulary.size(), 0);
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        const std::string_view text = vocabulary.text(token);
        const bool special = vocabulary.has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_USER_DEFINED | LLM_TOKEN_UNKNOWN);
        if (!special) continue;
        if (text == mask) rules[token] |= strip_left;
        if (is_phi3 && !is_one_of(text, {"<unk>", "<s>", "<|endoftext|>"})) rules[token] |= strip_right;
    }
    return rules;
}

}  // namespace llm
