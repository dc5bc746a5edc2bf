// The matrix kernels of F32, F16 and BF16 weights: one chain of fused multiply-adds for each row and token.
#include "kernels/avx512/matmul_kernels.h"
#include "kernels/avx512/sums.h"

namespace llm::avx512 {

namespace {

// Four groups by six tokens fill the registers with sums; four chains are what one token needs to hide the latency.
constexpr uint32_t tile_groups = 4;
constexpr uint32_t tile_tokens = 6;
// Columns of four groups that are kept in the second-level cache while several tiles of tokens pass.
constexpr uint32_t slab_columns = 2048;

struct F32 {
    static constexpr size_t column_bytes = 64;
    static LLM_SIMD __m512 load(const uint8_t *p) { return _mm512_loadu_ps(p); }
};
struct F16 {
    static constexpr size_t column_bytes = 32;
    static LLM_SIMD __m512 load(const uint8_t *p) { return load_f16(p); }
};
struct BF16 {
    static constexpr size_t column_bytes = 32;
    static LLM_SIMD __m512 load(const uint8_t *p) { return load_bf16(p); }
};

struct FloatTile {
    const uint8_t *weights;  // first group, first column
    size_t group_bytes;
    const float *x;  // first token, first column
    size_t x_stride;
    uint32_t columns;
    TileOutput out;
};

template <class Format, uint32_t groups, uint32_t tokens>
void multiply_tile(const FloatTile &tile) {
    Sums<groups, tokens> sums;
    sums.load(tile.out);
    const uint8_t *weights = tile.weights;
    const float *x[tokens];
    LLM_UNROLL
    for (uint32_t t = 0; t < tokens; ++t) x[t] = tile.x + t * tile.x_stride;
    for (size_t column = 0; column < tile.columns; ++column, weights += Format::column_bytes) {
        __m512 w[groups];
        LLM_UNROLL
        for (uint32_t g = 0; g < groups; ++g) w[g] = Format::load(weights + g * tile.group_bytes);
        LLM_UNROLL
        for (uint32_t t = 0; t < tokens; ++t) {
            const __m512 value = broadcast_float(x[t] + column);
            LLM_UNROLL
            for (uint32_t g = 0; g < groups; ++g) sums.value[g][t] = _mm512_fmadd_ps(w[g], value, sums.value[g][t]);
        }
    }
    sums.store(tile.out);
}

template <class Format, uint32_t groups>
void multiply_tokens(const FloatTile &tile, uint32_t tokens) {
    switch (tokens) {
        case 1:
            return multiply_tile<Format, groups, 1>(tile);
        case 2:
            return multiply_tile<Format, groups, 2>(tile);
        case 3:
            return multiply_tile<Format, groups, 3>(tile);
        case 4:
            return multiply_tile<Format, groups, 4>(tile);
        case 5:
            return multiply_tile<Format, groups, 5>(tile);
        default:
            return multiply_tile<Format, groups, 6>(tile);
    }
}

// Some groups (tile_groups or 1) and some columns, all tokens.
template <class Format, uint32_t groups>
void multiply_slab(const MatmulArgs &args, uint32_t group, uint32_t first_column, uint32_t columns) {
    const size_t group_bytes = args.columns * Format::column_bytes;
    const uint8_t *weights = args.weights + group * group_bytes + first_column * Format::column_bytes;
    const bool is_last = first_column + columns == args.columns;
    for (uint32_t token = 0; token < args.token_count;) {
        const uint32_t tokens = next_part(args.token_count - token, tile_tokens);
        const FloatTile tile = {weights,      group_bytes, args.x_float + token * size_t{args.columns} + first_column,
                                args.columns, columns,     TileOutput(args, group, token, first_column == 0, is_last)};
        multiply_tokens<Format, groups>(tile, tokens);
        token += tokens;
    }
}

template <class Format, uint32_t groups>
void multiply_groups(const MatmulArgs &args, uint32_t group) {
    const uint32_t part = args.token_count <= tile_tokens ? args.columns : slab_columns;
    for (uint32_t first = 0; first < args.columns; first += part)
        multiply_slab<Format, groups>(args, group, first, args.columns - first < part ? args.columns - first : part);
}

template <class Format>
void multiply(const MatmulArgs &args) {
    uint32_t group = 0;
    for (; group + tile_groups <= args.group_count; group += tile_groups)
        multiply_groups<Format, tile_groups>(args, group);
    for (; group < args.group_count; ++group) multiply_groups<Format, 1>(args, group);
}

}  // namespace

void fill_matmul_float(KernelTable &table) {
    set_kernel(table, TensorType::f32, multiply<F32>);
    set_kernel(table, TensorType::f16, multiply<F16>);
    set_kernel(table, TensorType::bf16, multiply<BF16>);
}

}  // namespace llm::avx512
