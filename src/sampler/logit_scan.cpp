#include "sampler/logit_scan.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>

namespace llm {

namespace {

// Four floats side by side, and as many of these as hide the latency of a comparison: vector instructions that every
// processor has, written with the compilers' vector types because no reduction of floats becomes vectors by itself.
using Quad [[gnu::vector_size(16)]] = float;
using QuadMask [[gnu::vector_size(16)]] = int32_t;
constexpr size_t quads = 4, step = quads * sizeof(Quad) / sizeof(float);
static_assert(LogitScan::block_length % step == 0);

struct Lanes {
    Quad best[quads];
    QuadMask is_nan[quads];

    void merge(const float *logits) {
        for (size_t i = 0; i < quads; ++i) {
            Quad x;
            std::memcpy(&x, logits + i * 4, sizeof x);
            best[i] = x > best[i] ? x : best[i];
            is_nan[i] |= x != x;
        }
    }
};

// The largest of one to block_length logits.
float block_maximum(const float *logits, size_t count) {
    Lanes all{};
    const float first = logits[0];
    for (Quad &best : all.best) best = Quad{first, first, first, first};
    size_t done = 0;
    for (; done + step <= count; done += step) all.merge(logits + done);
    if (done < count) {
        float rest[step];
        std::fill(std::copy(logits + done, logits + count, rest), rest + step, first);
        all.merge(rest);
    }
    float maximum = first;
    bool has_nan = false;
    for (size_t i = 0; i < quads; ++i)
        for (size_t lane = 0; lane < 4; ++lane) {
            has_nan |= all.is_nan[i][lane] != 0;
            maximum = std::max(maximum, all.best[i][lane]);
        }
    if (has_nan) fail(LLM_ERROR_NONFINITE, "the logits hold NaN");
    return maximum;
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
