// DRY ("don't repeat yourself"): a penalty for tokens that would go on repeating what was seen before.
#pragma once

#include <llm/llm.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace llm {

// p-e-w, "DRY: A modern repetition penalty that reliably prevents looping" (text-generation-webui #5677, 2024): a token
// that followed an earlier occurrence of the last n tokens, n the largest such number, loses
// multiplier * base^(n - allowed_length) if n >= allowed_length. A match does not reach across a sequence breaker, and
// a token that is one has no penalty.
class DryPenalty {
public:
    using Breakers = std::vector<std::vector<llm_token>>;

    DryPenalty(float multiplier, float base, int32_t allowed_length)
        : multiplier_(multiplier), base_(base), allowed_length_(allowed_length) {}

    bool has_effect() const { return multiplier_ > 0.0f; }
    void set_breakers(Breakers breakers);
    void apply(std::span<float> logits, std::span<const llm_token> history);

private:
    Breakers::const_iterator first_breaker(llm_token token) const;
    bool is_breaker(llm_token token) const;
    int32_t tokens_since_breaker(std::span<const llm_token> history) const;
    void find_matches(std::span<const llm_token> history, int32_t most);
    double penalty(int32_t length) const;

    float multiplier_, base_;
    int32_t allowed_length_;
    Breakers breakers_;                                   // sorted
    std::vector<int32_t> suffixes_;                       // by distance from the end of the history
    std::vector<std::pair<llm_token, int32_t>> matches_;  // the token that followed, and the number of tokens before it
};

}  // namespace llm
