// Matrix products of quantized weights, and the choice of the kernel for each type.
#include "kernels/avx2/matmul_float.h"
#include "kernels/avx2/matmul_tile.h"
#include "kernels/fill.h"

namespace llm::avx2 {
namespace {

// Up to this many tokens a group is unpacked in registers for every tile; for more it is unpacked once into a panel.
constexpr uint32_t direct_tokens = 4;

constexpr size_t panel_unit_bytes = 768;  // of the largest PanelUnit

size_t scratch_bytes(uint32_t columns) {
    return columns / unit_length * panel_unit_bytes + tile_tokens * (columns / 16) * sizeof(float);
}

template <class Block, int g = 0>
void unpack_dwords(PanelUnit<Block> &to, const PackedUnit<Block> &from) {
    for (uint32_t row = 0; row < group_rows; row += 8)
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to.dwords[g][row]), from.template quants<g>(row));
    if constexpr (g < 7) unpack_dwords<Block, g + 1>(to, from);
}

template <class Block>
void unpack_group(PanelUnit<Block> *panel, const PackedGroup<Block> &group, uint32_t units) {
    for (uint32_t index = 0; index < units; ++index) {
        const PackedUnit<Block> from = group.unit(index);
        PanelUnit<Block> &to = panel[index];
        unpack_dwords(to, from);
        for (uint32_t part = 0; part < Block::parts; ++part) {
            for (uint32_t row = 0; row < group_rows; row += 8) {
                _mm256_storeu_ps(&to.scales[part][row], from.scale(part, row));
                if constexpr (Block::has_minimum) _mm256_storeu_ps(&to.minimums[part][row], from.minimum(part, row));
            }
        }
    }
}

// Fills the corrections of `tokens` tokens; `sum` has two entries for each unit.
template <class Block>
void correct(const TokenTile &x, const int32_t *sum, uint32_t tokens) {
    constexpr uint32_t parts = Block::parts;
    constexpr uint32_t step = 2 / parts;
    const uint32_t count = x.columns / unit_length * parts;
    for (uint32_t t = 0; t < tokens; ++t, sum += x.columns / 16) {
        for (uint32_t i = 0; i < count; ++i) {
            const int32_t part_sum = parts == 2 ? sum[i] : sum[step * i] + sum[step * i + 1];
            if constexpr (Block::has_minimum)
                x.corrections_of<float>(t)[i] = x.scale_of(t, i / parts) * static_cast<float>(part_sum);
            else
                x.corrections_of<int32_t>(t)[i] = -Format<Block>::offset * part_sum;
        }
    }
}

template <class Block>
TokenTile make_tile(const MatmulArgs &args, uint32_t first, uint32_t tokens) {
    const uint32_t columns = args.columns;
    TokenTile tile{args.x.q + size_t{first} * columns, args.x.scale + size_t{first} * (columns / unit_length),
                   args.scratch + columns / unit_length * panel_unit_bytes, columns};
    if constexpr (Block::has_minimum || Format<Block>::offset != 0)
        correct<Block>(tile, args.x.sum + size_t{first} * (columns / 16), tokens);
    return tile;
}

template <class Block, class Weights>
void multiply(float *out, size_t out_stride, const Weights &weights, const TokenTile &x, uint32_t tokens) {
    switch (tokens) {
        case 1:
            return multiply_tile<Block, 1>(out, out_stride, weights, x);
        case 2:
            return multiply_tile<Block, 2>(out, out_stride, weights, x);
        case 3:
            return multiply_tile<Block, 3>(out, out_stride, weights, x);
        default:
            return multiply_tile<Block, 4>(out, out_stride, weights, x);
    }
}

template <class Block>
void matmul(const MatmulArgs &args) {
    static_assert(sizeof(PanelUnit<Block>) <= panel_unit_bytes);
    const uint32_t units = args.columns / unit_length;
    const auto group = [&](uint32_t g) {
        return PackedGroup<Block>{reinterpret_cast<const Block *>(args.weights) + size_t{g} * (units / Block::units)};
    };
    if (args.token_count <= direct_tokens) {
        const TokenTile tile = make_tile<Block>(args, 0, args.token_count);
        for (uint32_t g = 0; g < args.group_count; ++g)
            multiply<Block>(args.out + g * group_rows, args.out_stride, group(g), tile, args.token_count);
        return;
    }
    const auto panel = reinterpret_cast<PanelUnit<Block> *>(args.scratch);
    const uint32_t tiles = (args.token_count + tile_tokens - 1) / tile_tokens;
    for (uint32_t g = 0; g < args.group_count; ++g) {
        unpack_group<Block>(panel, group(g), units);
        uint32_t first = 0;
        for (uint32_t i = 0; i < tiles; ++i) {
            const uint32_t tokens = (args.token_count - first + tiles - i - 1) / (tiles - i);
            float *out = args.out + first * args.out_stride + g * group_rows;
            multiply<Block>(out, args.out_stride, Panel<Block>{panel}, make_tile<Block>(args, first, tokens), tokens);
            first += tokens;
        }
    }
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
