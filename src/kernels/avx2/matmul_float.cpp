// Matrix products of F32, F16 and BF16 weights. Each row and token has one chain of fused multiply-adds over the
// columns, so speed comes from chains side by side: rows of several groups with few tokens, else several tokens.
#include "kernels/avx2/matmul_float.h"

#include "kernels/avx2/simd.h"

namespace llm::avx2 {
namespace {

constexpr uint32_t group_rows = 16;

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
                   uint32_t columns) {
    __m256 acc[tokens][2 * groups];
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < 2 * groups; ++r) acc[t][r] = _mm256_setzero_ps();
    for (uint32_t k = 0; k < columns; ++k) {
        __m256 w[2 * groups];
        for (int r = 0; r < 2 * groups; ++r)
            w[r] = Type::load(weights + (size_t{static_cast<uint32_t>(r / 2)} * columns + k) * group_rows + r % 2 * 8);
        for (int t = 0; t < tokens; ++t) {
            const __m256 value = _mm256_broadcast_ss(x + size_t{static_cast<uint32_t>(t)} * columns + k);
            for (int r = 0; r < 2 * groups; ++r) acc[t][r] = _mm256_fmadd_ps(w[r], value, acc[t][r]);
        }
    }
    for (int t = 0; t < tokens; ++t)
        for (int r = 0; r < 2 * groups; ++r) _mm256_storeu_ps(out + t * out_stride + 8 * r, acc[t][r]);
}

// All groups, `groups` at a time, for `tokens` tokens from `first` on.
template <class Type, int groups, int tokens>
void multiply_groups(const MatmulArgs &args, uint32_t first) {
    const auto weights = reinterpret_cast<const typename Type::Element *>(args.weights);
    const float *x = args.x_float + size_t{first} * args.columns;
    float *out = args.out + first * args.out_stride;
    const size_t group_size = size_t{group_rows} * args.columns;
    uint32_t g = 0;
    for (; g + groups <= args.group_count; g += groups)
        multiply_tile<Type, groups, tokens>(out + g * group_rows, args.out_stride, weights + g * group_size, x,
                                            args.columns);
    for (; g < args.group_count; ++g)
        multiply_tile<Type, 1, tokens>(out + g * group_rows, args.out_stride, weights + g * group_size, x,
                                       args.columns);
}

template <class Type>
void matmul(const MatmulArgs &args) {
    constexpr uint32_t most_tokens = 6;
    const uint32_t tiles = (args.token_count + most_tokens - 1) / most_tokens;
    uint32_t first = 0;
    for (uint32_t i = 0; i < tiles; ++i) {
        const uint32_t tokens = (args.token_count - first + tiles - i - 1) / (tiles - i);
        switch (tokens) {
            case 1:
                multiply_groups<Type, 4, 1>(args, first);
                break;
            case 2:
                multiply_groups<Type, 2, 2>(args, first);
                break;
            case 3:
                multiply_groups<Type, 1, 3>(args, first);
                break;
            case 4:
                multiply_groups<Type, 1, 4>(args, first);
                break;
            case 5:
                multiply_groups<Type, 1, 5>(args, first);
                break;
            default:
                multiply_groups<Type, 1, 6>(args, first);
                break;
        }
        first += tokens;
    }
}

}  // namespace

void matmul_f32(const MatmulArgs &args) { matmul<F32>(args); }
void matmul_f16(const MatmulArgs &args) { matmul<F16>(args); }
void matmul_bf16(const MatmulArgs &args) { matmul<BF16>(args); }

}  // namespace llm::avx2
