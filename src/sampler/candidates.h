// The tokens that may still be chosen. No function here orders more of them than it has to.
#pragma once

#include "sampler/logit_scan.h"

#include <llm/llm.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace llm {

struct Candidate {
    float logit;
    llm_token token;
    double weight;  // the probability, but for a factor that all candidates share
};

// Falling logits, the lower id first among equals.
inline bool ranks_before(const Candidate &a, const Candidate &b) {
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// Their order is always a defined one, by rank or by id, so that sums over them have the same bits on every platform.
class Candidates {
public:
    static constexpr float any_logit = std::numeric_limits<float>::lowest();  // but minus infinity

    // All logits >= bound, in order of ids. Weights are probabilities divided by that of the best.
    void take(const LogitScan &scan, float bound);
    // Of these the best `count`, ranked.
    void take_best(LogitScan &scan, size_t count, float bound);

    size_t size() const { return items_.size(); }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    const Candidate &operator[](size_t i) const { return items_[i]; }
    const Candidate &best() const;

    double total_weight() const;
    // Makes the weights those at another temperature than 1.
    void weigh(double temperature);

    // Keeps the first candidates by rank, up to the one for which is_last(candidate) holds.
    template <class Predicate>
    void keep_ranked(Predicate is_last) {
        items_.resize(order_until(is_ranked_ ? items_.size() : 0, ranks_before, is_last));
        is_ranked_ = true;
    }

    // The same in another order; what is left is ranked.
    template <class Order, class Predicate>
    void keep_ordered(Order before, Predicate is_last) {
        items_.resize(order_until(0, before, is_last));
        std::sort(items_.begin(), items_.end(), ranks_before);
        is_ranked_ = true;
    }

    // Keeps those for which the predicate holds.
    template <class Predicate>
    void keep_if(Predicate keep) {
        std::erase_if(items_, [&](const Candidate &candidate) { return !keep(candidate); });
    }

private:
    // Number of candidates up to the one for which is_last() holds, which then come first, in order. Only a front
    // is ordered, four times as long when it did not suffice.
    template <class Order, class Predicate>
    size_t order_until(size_t ordered, Order before, Predicate is_last) {
        constexpr size_t first_length = 64, growth = 4;
        const auto at = [this](size_t i) { return items_.begin() + static_cast<std::ptrdiff_t>(i); };
        for (size_t i = 0; i < items_.size(); ++i) {
            if (i == ordered) {
                ordered = std::min(items_.size(), std::max(first_length, growth * ordered));
                if (ordered < items_.size()) std::nth_element(at(i), at(ordered), items_.end(), before);
                std::sort(at(i), at(ordered), before);
            }
            if (is_last(items_[i])) return i + 1;
        }
        return items_.size();
    }

    std::vector<Candidate> items_;
    bool is_ranked_ = false;  // else ordered by id
};

}  // namespace llm
