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

    // Calls visit(begin, token) for every token at every place, overlapping ones as well, from the end of the text to
    // its start.
    template <class Visit>
    void find_all(std::string_view text, Visit &&visit) const {
        uint32_t state = TokenAutomaton::root;
        for (auto begin = static_cast<uint32_t>(text.size()); begin-- > 0;) {
            state = automaton_.step(state, static_cast<uint8_t>(text[begin]));
            for (uint32_t number = automaton_.first_match(state); number != TokenAutomaton::root;
                 number = automaton_.next_match(number)) {
                visit(begin, automaton_.match(number).token);
            }
        }
    }

private:
    TokenAutomaton automaton_;
};

}  // namespace llm
