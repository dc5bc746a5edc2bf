// Filters that leave the more probable, or the more fitting, of the candidates. All leave at least one.
#pragma once

#include "sampler/candidates.h"

#include <span>

namespace llm {

// Logits below this are left out: the maximum less n standard deviations of the finite logits.
// Tang et al., "Top-nσ: Not All Logits Are You Need" (2024).
float top_n_sigma_bound(std::span<const float> logits, float maximum, float n);

// The smallest set of probability p whose tokens are nearest to the expected information, and at least `least`.
// Meister et al., "Locally Typical Sampling" (2023).
void keep_typical(Candidates &candidates, float p, size_t least);

// The smallest set of the most probable tokens that has probability p, and at least `least`.
// Holtzman et al., "The Curious Case of Neural Text Degeneration" (2020).
void keep_top_p(Candidates &candidates, float p, size_t least);

// Those at least p times as probable as the best, and at least `least`.
// Nguyen et al., "Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs" (2025).
void keep_min_p(Candidates &candidates, float p, size_t least);

// Of the tokens whose probability is at least `threshold` only the least probable, unless fewer than `least` were left.
// p-e-w, "Exclude Top Choices (XTC)" (text-generation-webui #6335, 2024).
void exclude_top_choices(Candidates &candidates, float threshold, size_t least);

}  // namespace llm
