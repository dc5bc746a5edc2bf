// Where the spellings of control tokens are in a text that must not contain any.
#pragma once

#include "tokenizer/special_matcher.h"
#include "tokenizer/vocabulary.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

class ControlSpellings {
public:
    // `matcher` finds at least all control and unknown tokens; both are borrowed.
    ControlSpellings(const Vocabulary &vocabulary, const SpecialMatcher &matcher);

    // Sets a bit of `marks`, one byte for each of the text, wherever the spelling of such a token begins: `control`,
    // and `ends_generation` if that token does. A spelling that the text ends in the middle of counts as well, white
    // space at the end aside, because something may be put behind it that completes it.
    void mark(std::string_view text, std::span<uint8_t> marks, uint8_t control, uint8_t ends_generation) const;

private:
    // In a longer spelling no unfinished one is looked for.
    static constexpr size_t longest_beginning = 256;

    bool begins_token(std::string_view beginning) const;

    const Vocabulary &vocabulary_;
    const SpecialMatcher &matcher_;
    std::vector<std::string_view> spellings_;  // in order
    size_t longest_ = 0;
};

}  // namespace llm
