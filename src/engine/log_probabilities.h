// Log-probabilities of a row of logits, at temperature 1 and unfiltered.
#pragma once

#include "kernels/kernel_table.h"
#include "sampler/candidates.h"

#include <llm/llm.h>

#include <span>
#include <vector>

namespace llm {

class LogProbabilities {
public:
    // Keeps a view of the row. LLM_ERROR_NONFINITE when a logit is NaN or infinite, or none is finite.
    void read(std::span<const float> logits, const KernelTable &kernels);

    float of(llm_token token) const { return of(logits_[static_cast<size_t>(token)]); }
    // The most probable tokens, the best first; fewer than `count` when not so many are possible.
    void best(std::vector<llm_token_logprob> &out, size_t count);

private:
    float of(float logit) const { return logit - scan_.maximum() - log_sum_; }

    std::span<const float> logits_;
    LogitScan scan_;
    Candidates candidates_;
    float log_sum_ = 0.0f;  // of e^(logit - maximum)
};

}  // namespace llm
