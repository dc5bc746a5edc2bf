// The chain of llm.h written down the long way: everything is sorted, nothing is left out for speed, and the C
// library's functions are good enough.
#pragma once

#include <llm/llm.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <vector>

namespace llm::test {

class ReferenceChain {
public:
    struct Item {
        llm_token token;
        double logit;
        double probability = 0.0;
    };

    // `uniform`: the number that decides whether XTC acts.
    ReferenceChain(const llm_sampler_options &options, std::span<const float> logits,
                   std::span<const llm_token> history, double uniform)
        : options_(options), logits_(logits.begin(), logits.end()) {
        change_logits(history);
        for (size_t i = 0; i < logits_.size(); ++i)
            if (std::isfinite(logits_[i])) items_.push_back({static_cast<llm_token>(i), logits_[i]});
        rank(1.0);
        if (options_.temperature == 0.0f && options_.dynatemp_range == 0.0f) {
            items_.resize(1);
        } else if (options_.mirostat == 0) {
            filter(uniform);
            rank(temperature());
        } else {
            rank(temperature());
            const double limit = 2.0 * options_.mirostat_tau;
            cut(count_while([=](const Item &item) { return -std::log2(item.probability) <= limit; }), 1);
            rank(temperature_);
        }
    }

    const std::vector<Item> &items() const { return items_; }

    llm_token draw(double uniform) const {
        double sum = 0.0;
        for (const Item &item : items_)
            if ((sum += item.probability) > uniform) return item.token;
        return items_.back().token;
    }

private:
    void change_logits(std::span<const llm_token> history) {
        for (size_t i = 0; i < options_.logit_bias_count; ++i)
            logits_[options_.logit_bias[i].token] += options_.logit_bias[i].bias;
        const auto recent = last(history, options_.repeat_last_n);
        std::map<llm_token, int> counts;
        for (const llm_token token : recent) ++counts[token];
        for (const auto &[token, count] : counts) {
            float &logit = logits_[token];
            logit = logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
            logit -= static_cast<float>(count) * options_.frequency_penalty + options_.presence_penalty;
        }
        if (options_.dry_multiplier > 0) repeat_nothing(last(history, options_.dry_penalty_last_n));
    }

    static std::span<const llm_token> last(std::span<const llm_token> history, int32_t count) {
        return count < 0 ? history : history.last(std::min(history.size(), static_cast<size_t>(count)));
    }

    // DRY, without sequence breakers.
    void repeat_nothing(std::span<const llm_token> history) {
        std::map<llm_token, int> longest;
        for (size_t end = 1; end < history.size(); ++end) {
            int length = 0;
            while (static_cast<size_t>(length) < end &&
                   history[end - 1 - length] == history[history.size() - 1 - length])
                ++length;
            longest[history[end]] = std::max(longest[history[end]], length);
        }
        for (const auto &[token, length] : longest)
            if (length > 0 && length >= options_.dry_allowed_length)
                logits_[token] -= static_cast<float>(std::min(
                    1e30, options_.dry_multiplier * std::pow(options_.dry_base, length - options_.dry_allowed_length)));
    }

    // Sorts, and gives the probabilities at a temperature; 0 leaves the best.
    void rank(double temperature) {
        temperature_ = temperature;
        std::stable_sort(items_.begin(), items_.end(), [](const Item &a, const Item &b) {
            return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
        });
        if (temperature <= 0.0) items_.resize(1);
        double total = 0.0;
        for (Item &item : items_)
            total += item.probability = std::exp((item.logit - items_[0].logit) / std::max(temperature, 1e-300));
        for (Item &item : items_) item.probability /= total;
    }

    template <class Predicate>
    size_t count_while(Predicate predicate) const {
        return static_cast<size_t>(std::find_if_not(items_.begin(), items_.end(), predicate) - items_.begin());
    }

    // Number of items, in their present order, that have the probability p.
    size_t count_until(double p, bool reached) const {
        double sum = 0.0;
        size_t count = 0;
        while (count < items_.size() && (count == 0 || (reached ? sum < p : sum <= p)))
            sum += items_[count++].probability;
        return count;
    }

    void cut(size_t count, size_t least) {
        items_.resize(std::min(items_.size(), std::max({count, least, size_t{1}})));
    }

    void filter(double uniform) {
        const auto least = static_cast<size_t>(options_.min_keep);
        if (options_.top_n_sigma > 0) {
            double mean = 0.0, variance = 0.0;
            for (const Item &item : items_) mean += item.logit / static_cast<double>(items_.size());
            for (const Item &item : items_)
                variance += std::pow(item.logit - mean, 2) / static_cast<double>(items_.size());
            const double bound = items_[0].logit - options_.top_n_sigma * std::sqrt(variance);
            cut(count_while([=](const Item &item) { return item.logit >= bound; }), 1);
        }
        if (options_.top_k > 0) cut(static_cast<size_t>(options_.top_k), 1);
        rank(1.0);
        if (options_.typical_p < 1) keep_typical(least);
        if (options_.top_p < 1) cut(count_until(options_.top_p, true), least), rank(1.0);
        const double bound = items_[0].probability * options_.min_p;
        cut(count_while([=](const Item &item) { return item.probability >= bound; }), least), rank(1.0);
        if (uniform < options_.xtc_probability) exclude_top_choices(least);
    }

    void keep_typical(size_t least) {
        double entropy = 0.0;
        for (const Item &item : items_)
            if (item.probability > 0) entropy -= item.probability * std::log(item.probability);
        std::stable_sort(items_.begin(), items_.end(), [=](const Item &a, const Item &b) {
            return std::abs(-std::log(a.probability) - entropy) < std::abs(-std::log(b.probability) - entropy);
        });
        cut(count_until(options_.typical_p, false), least);
        rank(1.0);
    }

    void exclude_top_choices(size_t least) {
        const size_t top = count_while([&](const Item &item) { return item.probability >= options_.xtc_threshold; });
        if (top < 2 || items_.size() - (top - 1) < least) return;
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(top) - 1);
    }

    double temperature() const {
        if (options_.dynatemp_range == 0.0f || items_.size() < 2) return options_.temperature;
        double entropy = 0.0, total = 0.0;
        for (const Item &item : items_) total += item.probability;
        for (const Item &item : items_)
            if (item.probability > 0) entropy -= item.probability / total * std::log(item.probability / total);
        const double part = std::pow(entropy / std::log(items_.size()), options_.dynatemp_exponent);
        const double lowest = std::max(0.0, double{options_.temperature} - options_.dynatemp_range);
        return lowest + (double{options_.temperature} + options_.dynatemp_range - lowest) * part;
    }

    llm_sampler_options options_;
    std::vector<float> logits_;
    std::vector<Item> items_;
    double temperature_ = 1.0;
};

}  // namespace llm::test
