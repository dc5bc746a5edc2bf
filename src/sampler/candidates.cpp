#include "sampler/candidates.h"

#include "sampler/portable_math.h"

#include <iterator>

namespace llm {

void Candidates::take(const LogitScan &scan, float bound) {
    items_.clear();
    is_ranked_ = false;
    scan.visit_from(std::max(bound, any_logit), [this](size_t i, float logit) {
        items_.push_back({logit, static_cast<llm_token>(i), 0.0});
    });
    weigh(1.0);
}

void Candidates::take_best(LogitScan &scan, size_t count, float bound) {
    items_.clear();
    scan.visit_from(std::max(bound, scan.bound_of_best(count)), [this](size_t i, float logit) {
        items_.push_back({logit, static_cast<llm_token>(i), 0.0});
    });
    if (items_.size() > count) {
        const auto end = items_.begin() + static_cast<std::ptrdiff_t>(count);
        std::nth_element(items_.begin(), end, items_.end(), ranks_before);
        items_.erase(end, items_.end());
    }
    std::sort(items_.begin(), items_.end(), ranks_before);
    is_ranked_ = true;
    weigh(1.0);
}

const Candidate &Candidates::best() const {
    return is_ranked_ ? items_.front() : *std::min_element(items_.begin(), items_.end(), ranks_before);
}

double Candidates::total_weight() const {
    double total = 0.0;
    for (const Candidate &candidate : items_) total += candidate.weight;
    return total;
}

void Candidates::weigh(double temperature) {
    const double maximum = best().logit;
    double values[64];  // side by side, for vector instructions
    for (size_t first = 0; first < items_.size(); first += std::size(values)) {
        const size_t count = std::min(std::size(values), items_.size() - first);
        for (size_t i = 0; i < count; ++i) values[i] = (items_[first + i].logit - maximum) / temperature;
        for (size_t i = 0; i < count; ++i) values[i] = portable_exp(values[i]);
        for (size_t i = 0; i < count; ++i) items_[first + i].weight = values[i];
    }
}

}  // namespace llm
