#include "tokenizer/control_spellings.h"

#include <algorithm>

namespace llm {

namespace {

constexpr uint32_t guarded_attributes = LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN;

constexpr std::string_view white_space = " \t\n\v\f\r";

}  // namespace

ControlSpellings::ControlSpellings(const Vocabulary &vocabulary, const SpecialMatcher &matcher)
    : vocabulary_(vocabulary), matcher_(matcher) {
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        const std::string_view text = vocabulary.text(token);
        if (!vocabulary.has(token, guarded_attributes) || text.empty()) continue;
        spellings_.push_back(text);
        longest_ = std::max(longest_, text.size());
    }
    std::ranges::sort(spellings_);
}

bool ControlSpellings::begins_token(std::string_view beginning) const {
    const auto found = std::ranges::lower_bound(spellings_, beginning);
    return found != spellings_.end() && found->starts_with(beginning);
}

void ControlSpellings::mark(std::string_view text, std::span<uint8_t> marks, uint8_t control,
                            uint8_t ends_generation) const {
    matcher_.find_all(text, [&](uint32_t begin, llm_token token) {
        if (!vocabulary_.has(token, guarded_attributes)) return;
        marks[begin] |= control;
        if (vocabulary_.has(token, LLM_TOKEN_ENDS_GENERATION)) marks[begin] |= ends_generation;
    });
    for (const std::string_view whole : {text, text.substr(0, text.find_last_not_of(white_space) + 1)}) {
        const size_t longest = std::min({longest_, longest_beginning, whole.size()});
        for (size_t length = 1; length <= longest; ++length) {
            const size_t begin = whole.size() - length;
            if (begins_token(whole.substr(begin))) marks[begin] |= control | ends_generation;
        }
    }
}

}  // namespace llm
