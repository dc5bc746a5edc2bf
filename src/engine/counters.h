// What a context has done, for its host.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace llm {

struct Counters {
    using Clock = std::chrono::steady_clock;

    uint64_t prompt_tokens = 0, prompt_nanoseconds = 0;  // calls with several tokens of a sequence
    uint64_t single_tokens = 0, single_nanoseconds = 0;  // calls with one token of a sequence
    uint64_t reused_tokens = 0;                          // of prompts: found in the cache
    uint64_t evaluations = 0;
    uint64_t first_token_nanoseconds = 0;  // of the last generation that has one
    uint64_t longest_sequence = 0;

    static uint64_t nanoseconds_since(Clock::time_point start) {
        return static_cast<uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
    }

    // A call that has evaluated `tokens`.
    void count_evaluation(uint64_t tokens, bool is_prompt, Clock::time_point start) {
        ++evaluations;
        (is_prompt ? prompt_tokens : single_tokens) += tokens;
        (is_prompt ? prompt_nanoseconds : single_nanoseconds) += nanoseconds_since(start);
    }
    void count_length(uint64_t sequence_length) { longest_sequence = std::max(longest_sequence, sequence_length); }
};

}  // namespace llm
