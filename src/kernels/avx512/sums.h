// The sums of a tile of outputs, in registers.
#pragma once

#include "kernels/avx512/simd.h"
#include "quant/packing.h"

namespace llm::avx512 {

template <uint32_t groups, uint32_t tokens>
struct Sums {
    __m512 value[groups][tokens];

    // Takes up the sums in `out`, or starts from zero. `stride` floats lie between two tokens.
    LLM_SIMD void load(const float *out, size_t stride, bool resume) {
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g)
            value[g][t] = resume ? _mm512_loadu_ps(out + t * stride + g * rows_per_group) : _mm512_setzero_ps();
    }
    LLM_SIMD void store(float *out, size_t stride) const {
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g) _mm512_storeu_ps(out + t * stride + g * rows_per_group, value[g][t]);
    }
};

}  // namespace llm::avx512
