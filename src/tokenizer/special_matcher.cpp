#include "tokenizer/special_matcher.h"

#include <algorithm>

namespace llm {

std::vector<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text) const {
    std::vector<Match> matches;
    if (automaton_.empty()) return matches;
    uint32_t state = TokenAutomaton::root;
    for (auto begin = static_cast<uint32_t>(text.size()); begin-- > 0;) {
        const auto byte = static_cast<uint8_t>(text[begin]);
        if (state == TokenAutomaton::root && !automaton_.leaves_root(byte)) continue;
        state = automaton_.step(state, byte);
        const uint32_t longest = automaton_.first_match(state);
        if (longest == TokenAutomaton::root) continue;
        const auto [token, length] = automaton_.match(longest);
        matches.push_back({begin, begin + length, token});
    }
    std::ranges::reverse(matches);
    uint32_t end = 0;
    std::erase_if(matches, [&](const Match &match) {
        if (match.begin < end) return true;
        end = match.end;
        return false;
    });
    return matches;
}

}  // namespace llm
