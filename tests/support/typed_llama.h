// The tiny Llama model with all its matrices in one tensor type.
#pragma once

#include "support/gguf_builder.h"
#include "support/weight_rows.h"

namespace llm::test {

// Weights are random and of a size that keeps activations, scores and logits moderate, so that every value counts.
GgufBuilder typed_llama(const WeightType &type);

}  // namespace llm::test
