// Changes of single logits before anything is chosen: bias, and penalties for tokens that were seen already.
#pragma once

#include <llm/llm.h>

#include <span>
#include <vector>

namespace llm {

// LLM_ERROR_ARGUMENT for a token outside the vocabulary.
void add_logit_bias(std::span<float> logits, std::span<const llm_logit_bias> biases);

// The repetition penalty of Keskar et al., "CTRL" (2019), and the frequency and presence penalties of OpenAI's
// completion interface.
class RepetitionPenalties {
public:
    RepetitionPenalties(float repeat, float frequency, float presence)
        : repeat_(repeat), frequency_(frequency), presence_(presence) {}

    bool has_effect() const { return repeat_ != 1.0f || frequency_ != 0.0f || presence_ != 0.0f; }
    void apply(std::span<float> logits, std::span<const llm_token> recent);

private:
    float repeat_, frequency_, presence_;
    std::vector<llm_token> sorted_;
};

}  // namespace llm
