// Frequencies of the rotary position embedding.
#pragma once

#include "model/hyper_parameters.h"

#include <cstdint>
#include <vector>

namespace llm {

// Pair i of a head is rotated by the angle position * frequency[i]; sine and cosine are multiplied by `magnitude`.
class RopeTable {
public:
    // `factors`, if not nullptr, divide the frequencies one by one (the tensor rope_freqs.weight of Llama 3.1 and
    // later); they are read by compute(), when the weights have been loaded. LLM_ERROR_MODEL if one is not positive.
    RopeTable(const RopeParameters &parameters, const float *factors) : parameters_(parameters), factors_(factors) {}

    void compute();
    uint32_t pair_count() const { return parameters_.dimension_count / 2; }

    // Writes cosines and sines of one position for all pairs.
    void angles(float *cosines, float *sines, uint32_t position) const;

private:
    RopeParameters parameters_;
    const float *factors_;
    std::vector<double> frequency_;
    float magnitude_ = 1.0f;
};

}  // namespace llm
