// Finds the special tokens in a text.
#pragma once

#include "tokenizer/token_automaton.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

class SpecialMatcher {
public:
    struct Match {
        uint32_t begin;
        uint32_t end;
        llm_token token;
    };

    explicit SpecialMatcher(std::span<const TokenAutomaton::Entry> entries)
        : automaton_(entries, TokenAutomaton::Direction::backward) {}

    // In ascending order: each begins at the first place after the one before where a token begins, and is the longest
    // one there. At most 2^31 bytes of text.
    std::vector<Match> find(std::string_view text) const;

private:
    TokenAutomaton automaton_;
};

}  // namespace llm
