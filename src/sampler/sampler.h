// Chooses a token from a row of logits: the chain of samplers, in the order that llm.h documents.
#pragma once

#include "sampler/candidates.h"
#include "sampler/dry.h"
#include "sampler/history.h"
#include "sampler/logit_scan.h"
#include "sampler/mirostat.h"
#include "sampler/penalties.h"

#include <llm/llm.h>

#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace llm {

// A copy goes on as the original does.
class Sampler {
public:
    // Of checked options. What they point to is copied.
    explicit Sampler(const llm_sampler_options &options);

    // Draws a token and accepts it. LLM_ERROR_NONFINITE when a logit is NaN or infinite, or none is finite,
    // LLM_ERROR_ARGUMENT for a bias outside the vocabulary; the sampler is then as it was.
    llm_token sample(std::span<const float> logits);

    // The tokens of which sample() would draw one, with weights at the temperature. With XTC it takes a random number.
    const Candidates &filter(std::span<const float> logits);

    // Adds tokens to those that penalties and DRY look at. Without memory it adds none; never fails behind make_room().
    void accept(std::span<const llm_token> tokens) {
        make_room(tokens.size());
        for (const llm_token token : tokens) history_.append(token);
    }
    void make_room(size_t count) { history_.make_room(count); }

    // As after construction, but for the sequence breakers.
    void reset();

    uint32_t seed() const { return options_.seed; }

    // DRY's sequence breakers are texts until a vocabulary is at hand that says which tokens these are.
    bool needs_breakers(const std::shared_ptr<const void> &vocabulary) const;
    void set_breakers(const std::shared_ptr<const void> &vocabulary, DryPenalty::Breakers breakers);
    const std::vector<std::string> &breaker_texts() const { return breaker_texts_; }

private:
    std::span<const float> edited(std::span<const float> logits);
    void keep_probable(std::span<const float> logits);
    void apply_temperature();
    float min_p_bound() const;
    double next_uniform() { return static_cast<double>(random_()) / 4294967296.0; }

    llm_sampler_options options_;  // without what they pointed to
    std::vector<llm_logit_bias> biases_;
    std::vector<std::string> breaker_texts_;
    std::weak_ptr<const void> breakers_vocabulary_;

    RepetitionPenalties penalties_;
    DryPenalty dry_;
    Mirostat mirostat_;
    std::mt19937 random_;
    TokenHistory history_;

    std::vector<float> edited_;
    LogitScan scan_;
    Candidates candidates_;
};

}  // namespace llm
