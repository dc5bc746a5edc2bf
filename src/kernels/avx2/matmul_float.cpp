// Matrix products of F32, F16 and BF16 weights. Each row and token has one chain of fused multiply-adds over the
// columns, so speed comes from chains side by side: rows of several groups with few tokens, else several tokens.
#include "kernels/avx2/matmul_float.h"

#include "kernels/avx2/add_results.h"
#include "kernels/avx2/simd.h"
#include "quant/packing.h"

namespace llm::avx2 {
namespace {

struct F32 {
    using Element = float;
    static __m256 load(const float *p) { return _mm256_loadu_ps(p); }
};
struct F16 {
    using Element = uint16_t;
    static __m256 load(const uint16_t *p) { return load_halves(p); }
};
struct BF16 {
    using Element = uint16_t;
    static __m256 load(const uint16_t *p) { return load_upper_halves(p); }
};

// out[t][16g + r] for `groups` groups that follow each other and `tokens` tokens.
template <class Type, int groups, int tokens>
void multiply_tile(float *out, size_t out_stride, const typename Type::Element *weights, const float *x,
                   size_t columns) {
    constexpr int rows = 2 * groups;  // vectors of eight rows
    __m256 acc[tokens * rows];
#pragma GCC unroll 16
    for (int i = 0; i < tokens * rows; ++i) acc[i] = _mm256_setzero_ps();
    for (size_t k = 0; k < columns; ++k) {
        // What there is less of, rows or tokens, goes through the inner loop and stays in registers.
#pragma GCC unroll 16
        for (int i = 0; i < tokens * rows; ++i) {
            const int t = rows < tokens ? i / rows : i % tokens;
            const int r = rows < tokens ? i % rows : i / tokens;
            const __m256 w = Type::load(weights + (r / 2 * columns + k) * rows_per_group + r % 2 * 8);
            acc[t * rows + r] = _mm256_fmadd_ps(w, _mm256_broadcast_ss(x + t * columns + k), acc[t * rows + r]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < tokens * rows; ++i) _mm256_storeu_ps(out + i / rows * out_stride + i % rows * 8, acc[i]);
}

// Groups begin .. end-1 times tokens first .. first+tokens-1.
template <class Type, int tokens>
void multiply_groups(const MatmulArgs &args, uint32_t begin, uint32_t end, uint32_t first) {
    constexpr int at_once = tokens == 1 ? 4 : tokens == 2 ? 2 : 1;
    const auto weights = reinterpret_cast<const typename Type::Element *>(args.weights);
    const float *x = args.x_float + size_t{first} * args.columns;
    float *out = args.out + first * args.out_stride;
    const size_t group_size = size_t{rows_per_group} * args.columns;
    uint32_t g = begin;
    for (; g + at_once <= end; g += at_once)
        multiply_tile<Type, at_once, tokens>(out + g * rows_per_group, args.out_stride, weights + g * group_size, x,
                                             args.columns);
    for (; g < end; ++g)
        multiply_tile<Type, 1, tokens>(out + g * rows_per_group, args.out_stride, weights + g * group_size, x,
                                       args.columns);
}

template <class Type>
void matmul(const MatmulArgs &args) {
    constexpr uint32_t most_tokens = 6, groups_in_cache = 4;
    const uint32_t tiles = (args.token_count + most_tokens - 1) / most_tokens;
    for (uint32_t begin = 0; begin < args.group_count; begin += groups_in_cache) {
        const uint32_t left = args.group_count - begin;
        const uint32_t end = begin + (left < groups_in_cache ? left : groups_in_cache);
        uint32_t first = 0;
        for (uint32_t i = 0; i < tiles; ++i) {
            const uint32_t tokens = (args.token_count - first + tiles - i - 1) / (tiles - i);
            switch (tokens) {
                case 1:
                    multiply_groups<Type, 1>(args, begin, end, first);
                    break;
                case 2:
                    multiply_groups<Type, 2>(args, begin, end, first);
                    break;
                case 3:
                    multiply_groups<Type, 3>(args, begin, end, first);
                    break;
                case 4:
                    multiply_groups<Type, 4>(args, begin, end, first);
                    break;
                case 5:
                    multiply_groups<Type, 5>(args, begin, end, first);
                    break;
                default:
                    multiply_groups<Type, 6>(args, begin, end, first);
                    break;
            }
            first += tokens;
        }
    }
    add_results(args);
}

}  // namespace

void matmul_f32(const MatmulArgs &args) { matmul<F32>(args); }
void matmul_f16(const MatmulArgs &args) { matmul<F16>(args); }
void matmul_bf16(const MatmulArgs &args) { matmul<BF16>(args); }

}  // namespace llm::avx2
