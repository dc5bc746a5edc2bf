// What rows of logits say about a text: the loss of each token, and how far two models' predictions are apart.
#pragma once

#include "api.h"

#include <cstddef>
#include <span>
#include <vector>

namespace cli {

// A row of logits as probabilities. It borrows the row.
class Prediction {
public:
    // Throws std::runtime_error when the logits are not finite.
    explicit Prediction(std::span<const float> logits);

    // Natural logarithm of the probability of a token.
    double log_probability(std::size_t token) const { return double(logits_[token]) - log_sum_; }
    // The most probable token, of equal ones the first.
    std::size_t top() const { return top_; }
    std::size_t size() const { return logits_.size(); }

private:
    std::span<const float> logits_;
    std::size_t top_;
    double log_sum_;  // ln of the sum of exp(logit)
};

// Kullback-Leibler divergence of `other` from `base`, in nats: the sum of p ln(p / q), where p are the probabilities of
// `base` and q those of `other` (S. Kullback, R. A. Leibler: On Information and Sufficiency, 1951).
double divergence(const Prediction &base, const Prediction &other);

// The mean of values and its standard error: the standard deviation of a sample, divided by the root of its size.
class Mean {
public:
    void add(double value);
    std::size_t count() const { return count_; }
    double value() const { return mean_; }
    // NaN for less than two values.
    double error() const;

private:
    std::size_t count_ = 0;
    double mean_ = 0, squares_ = 0;  // sum of squared differences from the mean
};

// The value below which the given part of the others lies (0 = the least, 0.5 = the median, 1 = the greatest), between
// two of them on the straight line. The values are sorted, and not empty.
double quantile(const std::vector<float> &sorted, double part);

// What is known of the tokens that were scored.
class Scores {
public:
    void add(const Prediction &tested, std::size_t token);
    void add(const Prediction &tested, const Prediction &base, std::size_t token);

    bool has_base() const { return base_loss_.count() > 0; }
    std::size_t count() const { return loss_.count(); }
    const Mean &loss() const { return loss_; }              // -ln of a token's probability
    const Mean &base_loss() const { return base_loss_; }    // the same of the base
    const Mean &loss_change() const { return change_; }     // the former less the latter, token by token
    const Mean &divergence() const { return divergence_; }  // from the base
    const Mean &same_top() const { return same_top_; }      // 1 where both have the same most probable token, else 0
    const Mean &probability_change() const { return probability_change_; }
    const Mean &squared_probability_change() const { return squared_probability_change_; }
    std::vector<float> sorted_divergences() const;

private:
    Mean loss_, base_loss_, change_, divergence_, same_top_, probability_change_, squared_probability_change_;
    std::vector<float> divergences_;
};

}  // namespace cli
