// Texts that end a repetition, as tokens of a vocabulary.
#pragma once

#include "engine/model.h"
#include "sampler/sampler.h"

#include <memory>

namespace llm {

// Gives a sampler the sequences of tokens that contain its sequence breakers, unless it has those of this model: each
// token whose text contains one, and each that ends with the beginning of one, together with the tokens of the rest.
void find_sequence_breakers(Sampler &sampler, const std::shared_ptr<const Model> &model);

}  // namespace llm
