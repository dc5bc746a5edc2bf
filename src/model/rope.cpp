#include "model/rope.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace llm {

namespace {

// The pair index at which a frequency turns `rotations` times within the original context (YaRN, equation 17 ff.).
double correction_pair(const RopeParameters &p, double rotations) {
    return p.dimension_count * std::log(p.original_context_length / (rotations * 2.0 * std::numbers::pi)) /
           (2.0 * std::log(static_cast<double>(p.base)));
}

// How much of the unstretched frequency YaRN keeps for each pair: 1 for fast ones, 0 for slow ones.
double yarn_kept_share(const RopeParameters &p, uint32_t pair) {
    const double low = std::max(0.0, std::floor(correction_pair(p, p.beta_fast)));
    const double high = std::min(p.dimension_count - 1.0, std::ceil(correction_pair(p, p.beta_slow)));
    const double ramp = (pair - low) / std::max(0.001, high - low);
    return 1.0 - std::clamp(ramp, 0.0, 1.0);
}

}  // namespace

std::vector<double> RopeTable::frequencies(const RopeFactors::Divisors &divisors) const {
    const RopeParameters &p = parameters_;
    std::vector<double> out(pair_count());
    for (uint32_t i = 0; i < pair_count(); ++i) {
        double own = std::pow(static_cast<double>(p.base), -2.0 * i / p.dimension_count);
        if (divisors.values) {
            const float divisor = divisors.values[i];
            if (!(divisor > 0.0f) || !std::isfinite(divisor))
                fail(LLM_ERROR_MODEL, "tensor ", quoted(divisors.tensor), " has ", divisor, " at ", i,
                     ", must be positive");
            own /= divisor;
        }
        const double stretched = own / p.factor;
        const double kept = p.scaling == RopeScaling::yarn ? yarn_kept_share(p, i) : 0.0;
        out[i] = p.scaling == RopeScaling::none ? own : stretched * (1.0 - kept) + own * kept;
    }
    return out;
}

void RopeTable::compute() {
    const RopeParameters &p = parameters_;
    magnitude_ = p.attention_factor;
    if (p.scaling == RopeScaling::yarn && p.factor > 1.0f)
        magnitude_ *= 1.0f + 0.1f * static_cast<float>(std::log(static_cast<double>(p.factor)));
    frequency_ = frequencies(factors_.usual);
    if (factors_.longer.values) longer_frequency_ = frequencies(factors_.longer);
}

void RopeTable::angles(float *cosines, float *sines, uint32_t position, uint32_t context_length) const {
    const bool is_long = factors_.longer.values && context_length > parameters_.original_context_length;
    const std::vector<double> &frequency = is_long ? longer_frequency_ : frequency_;
    for (size_t i = 0; i < frequency.size(); ++i) {
        const double angle = position * frequency[i];
        cosines[i] = static_cast<float>(std::cos(angle)) * magnitude_;
        sines[i] = static_cast<float>(std::sin(angle)) * magnitude_;
    }
}

}  // namespace llm
