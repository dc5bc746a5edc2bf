// Sums over vocabularies and tokens, in double precision.
#include "perplexity_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cli {

Prediction::Prediction(std::span<const float> logits) : logits_(logits) {
    const auto top = std::max_element(logits.begin(), logits.end());
    top_ = std::size_t(top - logits.begin());
    double sum = 0;  // of terms of at most 1, so that none overflows
    for (const float logit : logits) sum += std::exp(double(logit) - double(*top));
    log_sum_ = double(*top) + std::log(sum);
    if (!std::isfinite(log_sum_)) throw std::runtime_error("logits are not finite");
}

double divergence(const Prediction &base, const Prediction &other) {
    double sum = 0;
    for (std::size_t token = 0; token < base.size(); token++) {
        const double log_p = base.log_probability(token);
        const double p = std::exp(log_p);
        if (p > 0) sum += p * (log_p - other.log_probability(token));
    }
    return std::max(sum, 0.0);  // rounding only could make it less
}

void Mean::add(double value) {
    // B. P. Welford: Note on a Method for Calculating Corrected Sums of Squares and Products, 1962.
    count_++;
    const double difference = value - mean_;
    mean_ += difference / double(count_);
    squares_ += difference * (value - mean_);
}

double Mean::error() const {
    if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return std::sqrt(squares_ / double(count_ - 1) / double(count_));
}

double quantile(const std::vector<float> &sorted, double part) {
    const double position = part * double(sorted.size() - 1);
    const auto index = std::size_t(position);
    const double low = double(sorted[index]), high = double(sorted[std::min(index + 1, sorted.size() - 1)]);
    return low + (high - low) * (position - double(index));
}

void Scores::add(const Prediction &tested, std::size_t token) { loss_.add(-tested.log_probability(token)); }

void Scores::add(const Prediction &tested, const Prediction &base, std::size_t token) {
    const double log_q = tested.log_probability(token), log_p = base.log_probability(token);
    add(tested, token);
    base_loss_.add(-log_p);
    change_.add(log_p - log_q);
    same_top_.add(tested.top() == base.top() ? 1 : 0);
    const double change = std::exp(log_q) - std::exp(log_p);
    probability_change_.add(change);
    squared_probability_change_.add(change * change);
    const double distance = cli::divergence(base, tested);
    divergence_.add(distance);
    divergences_.push_back(float(distance));
}

std::vector<float> Scores::sorted_divergences() const {
    std::vector<float> sorted = divergences_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace cli
