// One fast pass over a row of logits, after which the best of them are found without looking at most of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace llm {

class LogitScan {
public:
    static constexpr size_t block_length = 256;

    // Keeps a view of the logits. LLM_ERROR_NONFINITE when one is NaN or infinite, or none is finite; minus infinity
    // is allowed.
    void read(std::span<const float> logits);

    float maximum() const { return maximum_; }
    // A bound that at least `count` logits reach, as high as can be said without looking at them again.
    float bound_of_best(size_t count);

    // Calls visit(index, logit) for each logit >= bound, in order of their indexes.
    template <class Visit>
    void visit_from(float bound, Visit visit) const {
        for (size_t block = 0; block < maxima_.size(); ++block) {
            if (!(maxima_[block] >= bound)) continue;
            const size_t first = block * block_length;
            const size_t length = std::min(block_length, logits_.size() - first);
            for (size_t i = first; i < first + length; ++i)
                if (logits_[i] >= bound) visit(i, logits_[i]);
        }
    }

private:
    std::span<const float> logits_;
    std::vector<float> maxima_;  // of the blocks
    std::vector<float> ordered_maxima_;
    float maximum_ = 0.0f;
};

}  // namespace llm
