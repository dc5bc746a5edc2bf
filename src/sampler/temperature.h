// The temperature of a draw, which may depend on the candidates.
#pragma once

#include "sampler/candidates.h"

namespace llm {

// From temperature - range, where one token is certain, to temperature + range, where all are equally probable: along
// the entropy divided by its maximum, to the power of `exponent`. Dynamic temperature as in koboldcpp #464 (kalomaze,
// 2023). Not below 0.
double dynamic_temperature(const Candidates &candidates, float temperature, float range, float exponent);

}  // namespace llm
