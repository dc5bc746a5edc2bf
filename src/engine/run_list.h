// Tokens for one evaluation of several sequences.
#pragma once

#include <llm/llm.h>

#include <cstdint>
#include <span>
#include <vector>

namespace llm {

enum class WantedLogits { none, last, all };

// Tokens to append to one sequence, and which of them get logits.
struct Run {
    uint32_t sequence;
    std::span<const llm_token> tokens;
    WantedLogits wanted;

    size_t row_count() const {
        return wanted == WantedLogits::all ? tokens.size() : wanted == WantedLogits::last && !tokens.empty() ? 1 : 0;
    }
};

// Runs with copies of their tokens.
class RunList {
public:
    // A sequence may come several times: its tokens follow each other.
    void add(const Run &run);
    void clear();

    size_t row_count() const { return row_count_; }
    // Valid until the list changes.
    std::span<const Run> runs();

private:
    std::vector<llm_token> tokens_;
    std::vector<Run> runs_;  // the data of their tokens is set by runs(): the vector moves
    size_t row_count_ = 0;
};

}  // namespace llm
