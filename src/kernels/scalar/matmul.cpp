// Matrix products of the scalar tier: the contract of kernel_table.h, spelled out. Each format only takes one unit of
// sixteen rows apart (quant/packed_unit.h); everything after that is the same for all.
#include "kernels/fill.h"
#include "quant/packed_unit.h"
#include "quant/packing.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace llm::scalar {

namespace {

// Weights are taken apart once for this many tokens.
constexpr uint32_t tile_tokens = 16;

// The sums of one tile: tile_tokens tokens of one group.
using Accumulators = float[tile_tokens][rows_per_group];

struct Tile {
    uint32_t first_token;
    uint32_t token_count;
};

// Adds unit `index` of token `token` to the sums of the sixteen rows.
template <class Block>
void accumulate_unit(float acc[rows_per_group], const ExpandedUnit &unit, const MatmulArgs &args, size_t token,
                     size_t index) {
    constexpr uint32_t part_length = unit_length / Block::parts;
    const int8_t *x = args.x.q + token * args.columns + index * unit_length;
    const int32_t *sum = args.x.sum + token * (args.columns / 16) + index * 2;
    const float scale = args.x.scale[token * (args.columns / unit_length) + index];
    for (uint32_t part = 0; part < Block::parts; ++part) {
        int32_t isum[rows_per_group] = {};
        for (uint32_t e = part * part_length; e < (part + 1) * part_length; ++e)
            for (uint32_t r = 0; r < rows_per_group; ++r) isum[r] += unit.q[e][r] * x[e];
        for (uint32_t r = 0; r < rows_per_group; ++r)
            acc[r] = std::fma(static_cast<float>(isum[r]) * scale, unit.scale[part][r], acc[r]);
        if constexpr (Block::has_minimum) {
            const float scaled_sum = scale * static_cast<float>(Block::parts == 2 ? sum[part] : sum[0] + sum[1]);
            for (uint32_t r = 0; r < rows_per_group; ++r) acc[r] = std::fma(unit.minimum[part][r], scaled_sum, acc[r]);
        }
    }
}

template <class Block>
struct QuantizedWeights {
    static size_t group_bytes(size_t columns) { return columns / (unit_length * Block::units) * sizeof(Block); }

    static void multiply(Accumulators &acc, const uint8_t *group, const MatmulArgs &args, Tile tile) {
        const auto *blocks = reinterpret_cast<const Block *>(group);
        ExpandedUnit unit;
        for (uint32_t index = 0; index < args.columns / unit_length; ++index) {
            expand_unit(unit, blocks[index / Block::units], index % Block::units);
            for (uint32_t t = 0; t < tile.token_count; ++t)
                accumulate_unit<Block>(acc[t], unit, args, tile.first_token + t, index);
        }
    }
};

float float_from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

template <class Bits, float (*widen)(Bits)>
struct FloatWeights {
    static size_t group_bytes(size_t columns) { return columns * rows_per_group * sizeof(Bits); }

    static void multiply(Accumulators &acc, const uint8_t *group, const MatmulArgs &args, Tile tile) {
        const auto *column = reinterpret_cast<const Bits *>(group);
        const float *x = args.x_float + static_cast<size_t>(tile.first_token) * args.columns;
        for (uint32_t k = 0; k < args.columns; ++k, column += rows_per_group) {
            float weight[rows_per_group];
            for (uint32_t r = 0; r < rows_per_group; ++r) weight[r] = widen(column[r]);
            for (uint32_t t = 0; t < tile.token_count; ++t) {
                const float factor = x[static_cast<size_t>(t) * args.columns + k];
                for (uint32_t r = 0; r < rows_per_group; ++r) acc[t][r] = std::fma(weight[r], factor, acc[t][r]);
            }
        }
    }
};

void finish(const float sums[rows_per_group], const MatmulArgs &args, size_t token, uint32_t group) {
    if (!args.add_to) {
        std::copy_n(sums, rows_per_group, args.out + token * args.out_stride + group * rows_per_group);
        return;
    }
    float *add_to = args.add_to + token * args.add_stride + group * rows_per_group;
    for (uint32_t r = 0; r < rows_per_group; ++r) add_to[r] += sums[r];
}

template <class Weights>
void matmul(const MatmulArgs &args) {
    const size_t group_bytes = Weights::group_bytes(args.columns);
    for (uint32_t group = 0; group < args.group_count; ++group) {
        for (uint32_t first = 0; first < args.token_count; first += tile_tokens) {
            const Tile tile{first, std::min(tile_tokens, args.token_count - first)};
            Accumulators acc = {};
            Weights::multiply(acc, args.weights + group * group_bytes, args, tile);
            for (uint32_t t = 0; t < tile.token_count; ++t) finish(acc[t], args, first + t, group);
        }
    }
}

size_t matmul_scratch_bytes(uint32_t) { return 0; }

MatmulKernel &slot(KernelTable &table, TensorType type) { return table.matmul[static_cast<uint32_t>(type)]; }

}  // namespace

void fill_matmul(KernelTable &table) {
    table.matmul_scratch_bytes = matmul_scratch_bytes;
    slot(table, TensorType::f32) = matmul<FloatWeights<uint32_t, float_from_bits>>;
    slot(table, TensorType::f16) = matmul<FloatWeights<uint16_t, half_to_float>>;
    slot(table, TensorType::bf16) = matmul<FloatWeights<uint16_t, bfloat_to_float>>;
    slot(table, TensorType::q4_0) = matmul<QuantizedWeights<packed::Q4_0>>;
    slot(table, TensorType::q4_1) = matmul<QuantizedWeights<packed::Q4_1>>;
    slot(table, TensorType::q5_0) = matmul<QuantizedWeights<packed::Q5_0>>;
    slot(table, TensorType::q5_1) = matmul<QuantizedWeights<packed::Q5_1>>;
    slot(table, TensorType::q8_0) = matmul<QuantizedWeights<packed::Q8_0>>;
    slot(table, TensorType::iq4_nl) = matmul<QuantizedWeights<packed::IQ4_NL>>;
    slot(table, TensorType::mxfp4) = matmul<QuantizedWeights<packed::MXFP4>>;
    slot(table, TensorType::q2_k) = matmul<QuantizedWeights<packed::Q2_K>>;
    slot(table, TensorType::q3_k) = matmul<QuantizedWeights<packed::Q3_K>>;
    slot(table, TensorType::q4_k) = matmul<QuantizedWeights<packed::Q4_K>>;
    slot(table, TensorType::q5_k) = matmul<QuantizedWeights<packed::Q5_K>>;
    slot(table, TensorType::q6_k) = matmul<QuantizedWeights<packed::Q6_K>>;
    slot(table, TensorType::iq4_xs) = matmul<QuantizedWeights<packed::IQ4_XS>>;
}

}  // namespace llm::scalar
