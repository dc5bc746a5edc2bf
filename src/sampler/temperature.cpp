#include "sampler/temperature.h"

#include "sampler/portable_math.h"

#include <algorithm>

namespace llm {

double dynamic_temperature(const Candidates &candidates, float temperature, float range, float exponent) {
    if (candidates.size() < 2) return temperature;
    const double lowest = std::max(0.0, double{temperature} - range);
    const double highest = double{temperature} + range;
    const double total = candidates.total_weight();
    const double maximum = candidates.best().logit;
    double mean = 0.0;  // of ln(weight)
    for (const Candidate &candidate : candidates) mean += candidate.weight / total * (candidate.logit - maximum);
    const double best_weight = candidates.best().weight;  // not 1 where a better token was left out
    const double entropy = portable_log(total / best_weight) - mean;
    const double part = std::min(1.0, entropy / portable_log(static_cast<double>(candidates.size())));
    const double power = part > 0.0 ? portable_exp(exponent * portable_log(part)) : exponent > 0.0f ? 0.0 : 1.0;
    return lowest + (highest - lowest) * power;
}

}  // namespace llm
