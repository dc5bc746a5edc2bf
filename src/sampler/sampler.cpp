#include "sampler/sampler.h"

#include "base/error.h"
#include "sampler/exponential.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace llm {

namespace {

// Falling logits, the lower id first among equals.
template <class Candidate>
bool ranks_before(const Candidate &a, const Candidate &b) {
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// Index of the largest logit, the lowest of equals.
size_t arg_max(std::span<const float> logits) {
    size_t best = 0;
    bool has_nan = false;
    for (size_t i = 0; i < logits.size(); ++i) {
        has_nan |= logits[i] != logits[i];
        if (logits[i] > logits[best]) best = i;
    }
    if (has_nan) fail(LLM_ERROR_NONFINITE, "the logits hold NaN");
    if (!std::isfinite(logits[best])) fail(LLM_ERROR_NONFINITE, "the largest logit is ", logits[best]);
    return best;
}

}  // namespace

Sampler::Sampler(const SamplerParameters &parameters) : parameters_(parameters), seed_(parameters.seed) {
    while (seed_ == LLM_SEED_RANDOM) seed_ = std::random_device{}();
    reset();
}

llm_token Sampler::sample(std::span<const float> logits) {
    const size_t best = arg_max(logits);
    if (parameters_.temperature == 0.0f) return static_cast<llm_token>(best);
    if (parameters_.top_k > 0 && static_cast<size_t>(parameters_.top_k) < logits.size())
        collect_top_k(logits);
    else
        collect_probable(logits, logits[best]);
    keep_min_p();
    return draw();
}

// The top_k best, through a heap whose front is the worst of them, and then the top-p of these.
void Sampler::collect_top_k(std::span<const float> logits) {
    candidates_.clear();
    const auto k = static_cast<size_t>(parameters_.top_k);
    for (size_t i = 0; i < logits.size(); ++i) {
        const Candidate candidate{logits[i], static_cast<llm_token>(i), 0.0};
        if (candidates_.size() == k) {
            if (!(candidate.logit > candidates_.front().logit)) continue;
            std::pop_heap(candidates_.begin(), candidates_.end(), ranks_before<Candidate>);
            candidates_.pop_back();
        }
        candidates_.push_back(candidate);
        std::push_heap(candidates_.begin(), candidates_.end(), ranks_before<Candidate>);
    }
    std::sort_heap(candidates_.begin(), candidates_.end(), ranks_before<Candidate>);
    double total = 0.0;
    for (Candidate &candidate : candidates_) {
        candidate.probability = portable_exp(double{candidate.logit} - candidates_.front().logit);
        total += candidate.probability;
    }
    keep_top_p(total);
}

// The top-p of all logits. Only those near the maximum are sorted; the distance grows until they suffice.
void Sampler::collect_probable(std::span<const float> logits, float maximum) {
    double total = 0.0;
    for (const float logit : logits) total += portable_exp(double{logit} - maximum);
    const bool wants_all = parameters_.top_p >= 1.0f && parameters_.min_p <= 0.0f;
    constexpr float step = 12.0f;
    float distance = wants_all ? std::numeric_limits<float>::infinity() : step;
    for (;; distance = distance < 8 * step ? distance + step : std::numeric_limits<float>::infinity()) {
        candidates_.clear();
        double collected = 0.0;
        for (size_t i = 0; i < logits.size(); ++i) {
            if (!(logits[i] >= maximum - distance)) continue;
            const double probability = portable_exp(double{logits[i]} - maximum);
            candidates_.push_back({logits[i], static_cast<llm_token>(i), probability});
            collected += probability;
        }
        const bool enough_for_top_p = parameters_.top_p < 1.0f && collected > total * parameters_.top_p;
        const bool enough_for_min_p = parameters_.top_p >= 1.0f && portable_exp(-distance) < parameters_.min_p;
        if (enough_for_top_p || enough_for_min_p || std::isinf(distance)) break;
    }
    std::sort(candidates_.begin(), candidates_.end(), ranks_before<Candidate>);
    keep_top_p(total);
}

// Keeps the first candidates whose probabilities sum up to top_p of `total`, at least one.
void Sampler::keep_top_p(double total) {
    if (parameters_.top_p >= 1.0f) return;
    const double wanted = total * parameters_.top_p;
    double sum = 0.0;
    size_t kept = 0;
    while (kept < candidates_.size() && (kept == 0 || sum < wanted)) sum += candidates_[kept++].probability;
    candidates_.resize(kept);
}

void Sampler::keep_min_p() {
    const double least = candidates_.front().probability * parameters_.min_p;
    size_t kept = candidates_.size();
    while (kept > 1 && candidates_[kept - 1].probability < least) --kept;
    candidates_.resize(kept);
}

llm_token Sampler::draw() {
    double total = 0.0;
    for (Candidate &candidate : candidates_) {
        const double distance = double{candidate.logit} - candidates_.front().logit;
        candidate.probability = portable_exp(distance / parameters_.temperature);
        total += candidate.probability;
    }
    const double target = total * (static_cast<double>(random_()) / 4294967296.0);
    double sum = 0.0;
    for (const Candidate &candidate : candidates_) {
        sum += candidate.probability;
        if (sum > target) return candidate.token;
    }
    return candidates_.back().token;
}

}  // namespace llm
