// Chooses a token from a row of logits.
#pragma once

#include <llm/llm.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace llm {

// As llm_sampler_options, checked.
struct SamplerParameters {
    float temperature, top_p, min_p;
    int32_t top_k;
    uint32_t seed;
};

class Sampler {
public:
    explicit Sampler(const SamplerParameters &parameters);

    // LLM_ERROR_NONFINITE when a logit is NaN or none is finite; the random numbers then stand where they stood.
    llm_token sample(std::span<const float> logits);

    void reset() { random_.seed(seed_); }
    uint32_t seed() const { return seed_; }

private:
    struct Candidate {
        float logit;
        llm_token token;
        double probability;
    };

    void collect_top_k(std::span<const float> logits);
    void collect_probable(std::span<const float> logits, float maximum);
    void keep_top_p(double total);
    void keep_min_p();
    llm_token draw();

    SamplerParameters parameters_;
    uint32_t seed_;
    std::mt19937 random_;
    std::vector<Candidate> candidates_;  // in order of falling logit, then rising id
};

}  // namespace llm
