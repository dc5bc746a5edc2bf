#include "sampler/candidates.h"

#include "sampler/portable_math.h"

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
    for (Candidate &candidate : items_) candidate.weight = portable_exp((candidate.logit - maximum) / temperature);
}

}  // namespace llm
