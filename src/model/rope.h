// Frequencies of the rotary position embedding.
#pragma once

#include "model/hyper_parameters.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace llm {

// Divisors of the frequencies, one for each pair; they are read by compute(), when the weights have been loaded.
// LongRoPE (Ding et al. 2024) has two sets: `longer` is for contexts beyond the original length.
struct RopeFactors {
    struct Divisors {
        const float *values = nullptr;  // nullptr: none
        std::string_view tensor;        // a literal

        bool operator==(const Divisors &) const = default;
    };
    Divisors usual, longer;

    bool operator==(const RopeFactors &) const = default;
};

// Pair i of a head is rotated by the angle position * frequency[i]; sine and cosine are multiplied by `magnitude`.
class RopeTable {
public:
    RopeTable(const RopeParameters &parameters, const RopeFactors &factors)
        : parameters_(parameters), factors_(factors) {}

    bool is_made_of(const RopeParameters &parameters, const RopeFactors &factors) const {
        return parameters_ == parameters && factors_ == factors;
    }

    // LLM_ERROR_MODEL if a factor is not positive.
    void compute();
    uint32_t pair_count() const { return parameters_.dimension_count / 2; }

    // Writes cosines and sines of one position for all pairs, in a context of that length.
    void angles(float *cosines, float *sines, uint32_t position, uint32_t context_length) const;

private:
    std::vector<double> frequencies(const RopeFactors::Divisors &divisors) const;

    RopeParameters parameters_;
    RopeFactors factors_;
    std::vector<double> frequency_, longer_frequency_;
    float magnitude_ = 1.0f;
};

}  // namespace llm
