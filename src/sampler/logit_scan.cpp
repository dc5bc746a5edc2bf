#include "sampler/logit_scan.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace llm {

namespace {

constexpr size_t lanes = 16;  // that are compared side by side, for the sake of vector instructions
static_assert(LogitScan::block_length % lanes == 0);

struct Lanes {
    float best[lanes];
    uint32_t is_nan[lanes];
};

void merge(Lanes &into, const float *logits) {
    for (size_t lane = 0; lane < lanes; ++lane) {
        into.is_nan[lane] |= logits[lane] != logits[lane];
        into.best[lane] = logits[lane] > into.best[lane] ? logits[lane] : into.best[lane];
    }
}

// The largest of one to block_length logits.
float block_maximum(const float *logits, size_t count) {
    Lanes all{};
    std::fill_n(all.best, lanes, -std::numeric_limits<float>::infinity());
    size_t done = 0;
    for (; done + lanes <= count; done += lanes) merge(all, logits + done);
    if (done < count) {
        float rest[lanes];
        std::fill(std::copy(logits + done, logits + count, rest), rest + lanes, logits[done]);
        merge(all, rest);
    }
    for (size_t half = lanes / 2; half > 0; half /= 2)
        for (size_t lane = 0; lane < half; ++lane) {
            all.is_nan[lane] |= all.is_nan[lane + half];
            all.best[lane] = std::max(all.best[lane], all.best[lane + half]);
        }
    if (all.is_nan[0]) fail(LLM_ERROR_NONFINITE, "the logits hold NaN");
    return all.best[0];
}

}  // namespace

void LogitScan::read(std::span<const float> logits) {
    logits_ = logits;
    maxima_.clear();
    for (size_t first = 0; first < logits.size(); first += block_length)
        maxima_.push_back(block_maximum(logits.data() + first, std::min(block_length, logits.size() - first)));
    maximum_ = *std::max_element(maxima_.begin(), maxima_.end());
    if (!std::isfinite(maximum_)) fail(LLM_ERROR_NONFINITE, "the largest logit is ", maximum_);
}

float LogitScan::bound_of_best(size_t count) {
    if (count > maxima_.size()) return std::numeric_limits<float>::lowest();
    ordered_maxima_ = maxima_;
    const auto last = ordered_maxima_.begin() + static_cast<std::ptrdiff_t>(count) - 1;
    std::nth_element(ordered_maxima_.begin(), last, ordered_maxima_.end(), std::greater<>());
    return *last;
}

}  // namespace llm
