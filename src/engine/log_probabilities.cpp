#include "engine/log_probabilities.h"

#include <cmath>

namespace llm {

void LogProbabilities::read(std::span<const float> logits, const KernelTable &kernels) {
    logits_ = logits;
    scan_.read(logits);
    log_sum_ = std::log(kernels.sum_exp(logits.data(), static_cast<uint32_t>(logits.size()), scan_.maximum()));
}

void LogProbabilities::best(std::vector<llm_token_logprob> &out, size_t count) {
    out.clear();
    if (count == 0) return;
    candidates_.take_best(scan_, count, Candidates::any_logit);
    for (const Candidate &candidate : candidates_) out.push_back({candidate.token, of(candidate.logit)});
}

}  // namespace llm
