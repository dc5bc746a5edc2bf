// Mirostat, version 2: keeps the surprise of the text near a target, by a limit that adapts.
#pragma once

#include "sampler/candidates.h"

namespace llm {

// Basu et al., "Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity" (2021), in the authors'
// second version. Surprise is -log2 of a probability.
class Mirostat {
public:
    Mirostat(float target, float rate) : target_(target), rate_(rate) { reset(); }

    void reset() { limit_ = 2.0 * target_; }
    // Keeps the tokens whose surprise is not above the limit, at least the best.
    void cut(Candidates &candidates) const;
    // Adapts the limit to the probability, among those kept, of the token that was drawn.
    void observe(double probability);

private:
    float target_, rate_;
    double limit_ = 0.0;
};

}  // namespace llm
