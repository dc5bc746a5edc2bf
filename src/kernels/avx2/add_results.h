// The last step of the matrix products: a sum is added to what is there already.
#pragma once

#include "kernels/avx2/simd.h"
#include "kernels/kernel_table.h"
#include "quant/packing.h"

namespace llm::avx2 {

// Adds the results in args.out to args.add_to, if that is wanted.
[[gnu::always_inline]] inline void add_results(const MatmulArgs &args) {
    if (!args.add_to) return;
    for (size_t token = 0; token < args.token_count; ++token) {
        const float *from = args.out + token * args.out_stride;
        float *to = args.add_to + token * args.add_stride;
        for (uint32_t row = 0; row < args.group_count * rows_per_group; row += 8)
            _mm256_storeu_ps(to + row, _mm256_add_ps(_mm256_loadu_ps(to + row), _mm256_loadu_ps(from + row)));
    }
}

}  // namespace llm::avx2
