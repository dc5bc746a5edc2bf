#include "sampler/dry.h"

#include <algorithm>

namespace llm {

void DryPenalty::set_breakers(Breakers breakers) {
    std::erase_if(breakers, [](const auto &sequence) { return sequence.empty(); });
    std::sort(breakers.begin(), breakers.end());
    breakers_ = std::move(breakers);
}

void DryPenalty::apply(std::span<float> logits, std::span<const llm_token> history) {
    if (history.size() <= static_cast<size_t>(allowed_length_)) return;
    const int32_t most = tokens_since_breaker(history);
    if (most < allowed_length_) return;
    find_matches(history, most);
    std::sort(matches_.begin(), matches_.end());
    for (size_t i = 0; i < matches_.size(); ++i) {
        const auto [token, length] = matches_[i];
        const bool is_longest = i + 1 == matches_.size() || matches_[i + 1].first != token;
        if (is_longest && static_cast<size_t>(token) < logits.size() && !is_breaker(token))
            logits[static_cast<size_t>(token)] -= static_cast<float>(penalty(length));
    }
}

// The first of the breakers that begin with a token, the shortest; or a later one when there is none.
auto DryPenalty::first_breaker(llm_token token) const -> Breakers::const_iterator {
    const auto begins_before = [](const auto &sequence, llm_token begin) { return sequence.front() < begin; };
    return std::lower_bound(breakers_.begin(), breakers_.end(), token, begins_before);
}

bool DryPenalty::is_breaker(llm_token token) const {
    const auto breaker = first_breaker(token);
    return breaker != breakers_.end() && breaker->size() == 1 && breaker->front() == token;
}

// Behind the latest begin of a breaker that is complete, all if there is none.
int32_t DryPenalty::tokens_since_breaker(std::span<const llm_token> history) const {
    for (size_t at = history.size(); at-- > 0;) {
        const auto behind = history.subspan(at);
        size_t longest = 0;
        for (auto breaker = first_breaker(behind[0]); breaker != breakers_.end() && breaker->front() == behind[0];
             ++breaker)
            if (breaker->size() <= behind.size() && std::equal(breaker->begin(), breaker->end(), behind.begin()))
                longest = breaker->size();
        if (longest > 0) return static_cast<int32_t>(behind.size() - longest);
    }
    return static_cast<int32_t>(history.size());
}

// suffixes_[d] is the length of the longest common suffix of the history and of the history without its last d
// tokens: the Z function of the reversed history, found in linear time (Gusfield, "Algorithms on Strings, Trees and
// Sequences", 1997, section 1.4).
void DryPenalty::find_matches(std::span<const llm_token> history, int32_t most) {
    const auto count = static_cast<int32_t>(history.size());
    const auto reversed = [&](int32_t i) { return history[static_cast<size_t>(count - 1 - i)]; };
    suffixes_.assign(history.size(), 0);
    matches_.clear();
    int32_t left = 0, right = 0;  // the match that reaches furthest
    for (int32_t d = 1; d < count; ++d) {
        int32_t length = d < right ? std::min(right - d, suffixes_[static_cast<size_t>(d - left)]) : 0;
        while (d + length < count && reversed(length) == reversed(d + length)) ++length;
        if (d + length > right) left = d, right = d + length;
        suffixes_[static_cast<size_t>(d)] = length;
        const int32_t counted = std::min(length, most);
        if (counted >= allowed_length_ && counted > 0) matches_.emplace_back(reversed(d - 1), counted);
    }
}

double DryPenalty::penalty(int32_t length) const {
    constexpr double most = 1e30;  // logits stay finite
    double value = multiplier_;
    for (int32_t n = length - allowed_length_; n > 0 && value < most && base_ > 1.0f; --n) value *= base_;
    return std::min(value, most);
}

}  // namespace llm
