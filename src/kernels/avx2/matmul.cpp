// Matrix products of quantized weights, and the choice of the kernel for each type.
#include "kernels/avx2/add_results.h"
#include "kernels/avx2/matmul_float.h"
#include "kernels/avx2/matmul_tile.h"
#include "kernels/fill.h"

namespace llm::avx2 {
namespace {

// Up to this many tokens a group is unpacked in registers for every tile; for more it is unpacked once into a panel.
constexpr uint32_t direct_tokens = 8;

constexpr size_t panel_unit_bytes = 768;  // of the largest PanelUnit

size_t scratch_bytes(uint32_t columns) { return columns / unit_length * panel_unit_bytes; }

template <class Block, int g = 0>
void unpack_dwords(PanelUnit<ArithmeticOf<Block>> &to, const PackedUnit<Block> &from) {
    for (uint32_t row = 0; row < rows_per_group; row += 8)
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to.dwords[g][row]), from.template quants<g>(row));
    if constexpr (g < 7) unpack_dwords<Block, g + 1>(to, from);
}

template <class Block>
void unpack_unit(PanelUnit<ArithmeticOf<Block>> &to, const PackedUnit<Block> &from) {
    unpack_dwords(to, from);
    for (uint32_t part = 0; part < Block::parts; ++part) {
        for (uint32_t row = 0; row < rows_per_group; row += 8) {
            _mm256_storeu_ps(&to.scales[part][row], from.scale(part, row));
            if constexpr (Block::has_minimum) _mm256_storeu_ps(&to.minimums[part][row], from.minimum(part, row));
        }
    }
}

template <class Block>
Panel<ArithmeticOf<Block>> unpack_group(uint8_t *scratch, const PackedGroup<Block> &group, uint32_t columns) {
    using Unit = PanelUnit<ArithmeticOf<Block>>;
    static_assert(sizeof(Unit) <= panel_unit_bytes);
    const auto units = reinterpret_cast<Unit *>(scratch);
    for (uint32_t block = 0; block < columns / (Block::units * unit_length); ++block)
        for (uint32_t u = 0; u < Block::units; ++u) unpack_unit(units[block * Block::units + u], group.unit(block, u));
    return {units};
}

TokenTile tile_at(const MatmulArgs &args, size_t first) {
    const size_t columns = args.columns;
    return {args.x.q + first * columns, args.x.scale + first * (columns / unit_length),
            args.x.sum + first * (columns / 16), columns};
}

// One group of rows, in whichever form, times all tokens, in tiles that are as equal as possible.
template <class Weights>
void multiply_group(const MatmulArgs &args, uint32_t group, const Weights &weights) {
    constexpr uint32_t fewest = Weights::fewest_tokens;
    const uint32_t tiles = (args.token_count + tile_tokens - 1) / tile_tokens;
    uint32_t first = 0;
    for (uint32_t i = 0; i < tiles; ++i) {
        const uint32_t tokens = (args.token_count - first) / (tiles - i);
        const TokenTile tile = tile_at(args, first);
        float *out = args.out + first * args.out_stride + group * rows_per_group;
        if (tokens == 1 && fewest == 1)
            multiply_tile<1>(out, args.out_stride, weights, tile);
        else if (tokens == 2 && fewest == 1)
            multiply_tile<2>(out, args.out_stride, weights, tile);
        else if (tokens == 3)
            multiply_tile<3>(out, args.out_stride, weights, tile);
        else
            multiply_tile<4>(out, args.out_stride, weights, tile);
        first += tokens;
    }
}

template <class Block>
void matmul(const MatmulArgs &args) {
    const uint32_t blocks = args.columns / (Block::units * unit_length);
    for (uint32_t g = 0; g < args.group_count; ++g) {
        const PackedGroup<Block> group{reinterpret_cast<const Block *>(args.weights) + size_t{g} * blocks};
        if (args.token_count <= direct_tokens)
            multiply_group(args, g, group);
        else
            multiply_group(args, g, unpack_group(args.scratch, group, args.columns));
    }
    add_results(args);
}

}  // namespace

void fill_matmul(KernelTable &table) {
    const auto set = [&](TensorType type, MatmulKernel kernel) { table.matmul[static_cast<uint32_t>(type)] = kernel; };
    set(TensorType::f32, matmul_f32);
    set(TensorType::f16, matmul_f16);
    set(TensorType::bf16, matmul_bf16);
    set(TensorType::q4_0, matmul<packed::Q4_0>);
    set(TensorType::q4_1, matmul<packed::Q4_1>);
    set(TensorType::q5_0, matmul<packed::Q5_0>);
    set(TensorType::q5_1, matmul<packed::Q5_1>);
    set(TensorType::q8_0, matmul<packed::Q8_0>);
    set(TensorType::iq4_nl, matmul<packed::IQ4_NL>);
    set(TensorType::mxfp4, matmul<packed::MXFP4>);
    set(TensorType::q4_k, matmul<packed::Q4_K>);
    set(TensorType::q5_k, matmul<packed::Q5_K>);
    set(TensorType::iq4_xs, matmul<packed::IQ4_XS>);
    set(TensorType::q2_k, matmul<packed::Q2_K>);
    set(TensorType::q3_k, matmul<packed::Q3_K>);
    set(TensorType::q6_k, matmul<packed::Q6_K>);
    table.matmul_scratch_bytes = scratch_bytes;
}

}  // namespace llm::avx2
