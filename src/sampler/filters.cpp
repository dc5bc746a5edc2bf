#include "sampler/filters.h"

#include <cmath>

namespace llm {

namespace {

// Number of lanes of sums, which fixes the order of additions and lets vector instructions do them.
constexpr size_t lanes = 8;

// Sum of term(logit - origin) over the finite logits.
double sum_of_finite(std::span<const float> logits, double origin, auto term) {
    double sums[lanes] = {};
    const size_t whole = logits.size() - logits.size() % lanes;
    for (size_t i = 0; i < whole; i += lanes)
        for (size_t lane = 0; lane < lanes; ++lane) {
            const double logit = logits[i + lane];
            sums[lane] += logit >= Candidates::any_logit ? term(logit - origin) : 0.0;
        }
    for (size_t i = whole; i < logits.size(); ++i)
        if (logits[i] >= Candidates::any_logit) sums[0] += term(logits[i] - origin);
    double total = 0.0;
    for (const double sum : sums) total += sum;
    return total;
}

}  // namespace

float top_n_sigma_bound(std::span<const float> logits, float maximum, float n) {
    const double count = sum_of_finite(logits, 0.0, [](double) { return 1.0; });
    const double mean = maximum + sum_of_finite(logits, maximum, [](double x) { return x; }) / count;
    const double variance = sum_of_finite(logits, mean, [](double x) { return x * x; }) / count;
    return static_cast<float>(maximum - n * std::sqrt(variance));
}

void keep_typical(Candidates &candidates, float p, size_t least) {
    // A token's information -ln p differs from its mean, the entropy, as its logit does from the mean logit.
    const double total = candidates.total_weight();
    const double maximum = candidates.best().logit;
    double mean = 0.0;
    for (const Candidate &candidate : candidates) mean += candidate.weight / total * (candidate.logit - maximum);
    const auto distance = [=](const Candidate &candidate) { return std::abs(candidate.logit - maximum - mean); };
    const auto before = [=](const Candidate &a, const Candidate &b) {
        const double of_a = distance(a), of_b = distance(b);
        return of_a < of_b || (of_a == of_b && ranks_before(a, b));
    };
    double sum = 0.0;
    size_t kept = 0;
    candidates.keep_ordered(before, [&](const Candidate &candidate) {
        sum += candidate.weight;
        return ++kept >= least && sum > p * total;
    });
}

void keep_top_p(Candidates &candidates, float p, size_t least) {
    const double wanted = candidates.total_weight() * p;
    double sum = 0.0;
    size_t kept = 0;
    candidates.keep_ranked([&](const Candidate &candidate) {
        sum += candidate.weight;
        return ++kept >= least && sum >= wanted;
    });
}

void keep_min_p(Candidates &candidates, float p, size_t least) {
    const double wanted = candidates.best().weight * p;
    const auto is_probable = [=](const Candidate &candidate) { return candidate.weight >= wanted; };
    if (static_cast<size_t>(std::count_if(candidates.begin(), candidates.end(), is_probable)) >= least)
        return candidates.keep_if(is_probable);
    size_t kept = 0;
    candidates.keep_ranked([&](const Candidate &) { return ++kept >= least; });
}

void exclude_top_choices(Candidates &candidates, float threshold, size_t least) {
    const double wanted = candidates.total_weight() * threshold;
    const Candidate *last = nullptr;  // of the top choices
    size_t excluded = 0;
    for (const Candidate &candidate : candidates) {
        if (candidate.weight < wanted) continue;
        if (last) ++excluded;
        if (!last || ranks_before(*last, candidate)) last = &candidate;
    }
    if (!last || candidates.size() - excluded < least) return;
    const Candidate kept = *last;
    candidates.keep_if([&](const Candidate &candidate) { return !ranks_before(candidate, kept); });
}

}  // namespace llm
