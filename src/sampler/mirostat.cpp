#include "sampler/mirostat.h"

#include "sampler/portable_math.h"

namespace llm {

namespace {

constexpr double ln2 = ln2_high + ln2_low;

}  // namespace

void Mirostat::cut(Candidates &candidates) const {
    const double probability = limit_ > 0.0 ? portable_exp(-limit_ * ln2) : 1.0;
    const double least = std::min(candidates.best().weight, candidates.total_weight() * probability);
    candidates.keep_if([=](const Candidate &candidate) { return candidate.weight >= least; });
}

void Mirostat::observe(double probability) {
    const double surprise = -portable_log(probability) / ln2;
    limit_ -= rate_ * (surprise - target_);
}

}  // namespace llm
