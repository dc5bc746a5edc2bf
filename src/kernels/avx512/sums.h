// The sums of a tile of outputs, in registers.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/kernel_table.h"
#include "quant/packing.h"

namespace llm::avx512 {

// Where the sums of a tile rest between slabs of columns, and where they go in the end.
struct TileOutput {
    float *out;  // first token, first row
    size_t out_stride;
    bool resume;    // the sums of the slabs before are in `out`
    float *add_to;  // what the sums are added to, instead of being stored, if not nullptr
    size_t add_stride;

    LLM_SIMD TileOutput(const MatmulArgs &args, uint32_t group, uint32_t token, bool is_first_slab, bool is_last_slab)
        : out(args.out + token * args.out_stride + group * rows_per_group),
          out_stride(args.out_stride),
          resume(!is_first_slab),
          add_to(nullptr),
          add_stride(args.add_stride) {
        if (args.add_to && is_last_slab) add_to = args.add_to + token * args.add_stride + group * rows_per_group;
    }
    LLM_SIMD void to_next_group() {
        out += rows_per_group;
        if (add_to) add_to += rows_per_group;
    }
};

template <uint32_t groups, uint32_t tokens>
struct Sums {
    __m512 value[groups][tokens];

    // Takes up the sums, or starts from zero. What they will be added to is fetched: rows of a large batch lie too far
    // apart for the hardware to foresee them.
    LLM_SIMD void load(const TileOutput &to) {
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g) {
            const uint32_t row = g * rows_per_group;
            value[g][t] = to.resume ? _mm512_loadu_ps(to.out + t * to.out_stride + row) : _mm512_setzero_ps();
            if (to.add_to) __builtin_prefetch(to.add_to + t * to.add_stride + row, 1);
        }
    }
    LLM_SIMD void store(const TileOutput &to) const {
        float *first = to.add_to ? to.add_to : to.out;
        const size_t stride = to.add_to ? to.add_stride : to.out_stride;
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g) {
            float *at = first + t * stride + g * rows_per_group;
            _mm512_storeu_ps(at, to.add_to ? _mm512_add_ps(_mm512_loadu_ps(at), value[g][t]) : value[g][t]);
        }
    }
};

}  // namespace llm::avx512
