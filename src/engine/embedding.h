// From the vectors that an encoder gives for the tokens of an input to the input's embedding.
#pragma once

#include "model/graph.h"

#include <cstdint>
#include <span>

namespace llm {

// Whether the vector of a token has a part in the embedding of an input of `count` tokens.
bool is_pooled(Pooling pooling, uint32_t token, uint32_t count);

// `vectors` are those of the tokens that are pooled, one behind the other, as they are in `out` with Pooling::none.
// Else `out` is one vector.
void pool(std::span<float> out, std::span<const float> vectors, Pooling pooling);

// Divides a vector by its Euclidean length, unless that is 0, if that is wanted. LLM_ERROR_NONFINITE when an element is
// not finite.
void finish_embedding(std::span<float> vector, bool normalized);

}  // namespace llm
