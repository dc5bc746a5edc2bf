// The reference: each format's blocks to floats, one function for each.
#include "quant/dequantize.h"

#include "base/error.h"
#include "base/half.h"
#include "base/unaligned.h"
#include "quant/block_formats.h"
#include "quant/block_scales.h"

#include <cstddef>

namespace llm {

namespace {

float half_at(const uint8_t *bytes) { return half_to_float(load_unaligned<uint16_t>(bytes)); }

// Element e of 32 whose nibbles are in 16 bytes.
int nibble(const uint8_t *nibbles, uint32_t e) { return (nibbles[e % 16] >> (e / 16 * 4)) & 15; }

int bit(uint32_t bits, uint32_t index) { return (bits >> index) & 1; }

// Element l of unit u of a format of 256 elements that stores two bits of each in 64 bytes.
int pair(const uint8_t *pairs, uint32_t u, uint32_t l) { return (pairs[u / 4 * 32 + l] >> (u % 4 * 2)) & 3; }

void dequantize_block(float *out, const BlockQ4_0 &block) {
    const float d = half_at(block.d);
    for (uint32_t e = 0; e < 32; ++e) out[e] = d * static_cast<float>(nibble(block.nibbles, e) - 8);
}

void dequantize_block(float *out, const BlockQ4_1 &block) {
    const float d = half_at(block.d), m = half_at(block.m);
    for (uint32_t e = 0; e < 32; ++e) out[e] = d * static_cast<float>(nibble(block.nibbles, e)) + m;
}

void dequantize_block(float *out, const BlockQ5_0 &block) {
    const float d = half_at(block.d);
    const uint32_t high = load_unaligned<uint32_t>(block.high_bits);
    for (uint32_t e = 0; e < 32; ++e) {
        const int q = nibble(block.nibbles, e) | bit(high, e) << 4;
        out[e] = d * static_cast<float>(q - 16);
    }
}

void dequantize_block(float *out, const BlockQ5_1 &block) {
    const float d = half_at(block.d), m = half_at(block.m);
    const uint32_t high = load_unaligned<uint32_t>(block.high_bits);
    for (uint32_t e = 0; e < 32; ++e) {
        const int q = nibble(block.nibbles, e) | bit(high, e) << 4;
        out[e] = d * static_cast<float>(q) + m;
    }
}

void dequantize_block(float *out, const BlockQ8_0 &block) {
    const float d = half_at(block.d);
    for (uint32_t e = 0; e < 32; ++e) out[e] = d * static_cast<float>(block.q[e]);
}

void dequantize_block(float *out, const BlockIQ4_NL &block) {
    const float d = half_at(block.d);
    for (uint32_t e = 0; e < 32; ++e) out[e] = d * static_cast<float>(iq4_values[nibble(block.nibbles, e)]);
}

void dequantize_block(float *out, const BlockMXFP4 &block) {
    const float d = mxfp4_scale(block.exponent);
    for (uint32_t e = 0; e < 32; ++e) out[e] = d * static_cast<float>(mxfp4_doubled_values[nibble(block.nibbles, e)]);
}

void dequantize_block(float *out, const BlockQ2_K &block) {
    const float d = half_at(block.d), dmin = half_at(block.dmin);
    for (uint32_t u = 0; u < 8; ++u) {
        for (uint32_t l = 0; l < 32; ++l) {
            const uint8_t scales = block.scales[2 * u + l / 16];
            const float scale = d * static_cast<float>(scales & 15);
            const float minimum = dmin * static_cast<float>(scales >> 4);
            out[32 * u + l] = scale * static_cast<float>(pair(block.pairs, u, l)) - minimum;
        }
    }
}

void dequantize_block(float *out, const BlockQ3_K &block) {
    const float d = half_at(block.d);
    int8_t scales[16];
    read_q3_scales(scales, block.scales);
    for (uint32_t u = 0; u < 8; ++u) {
        for (uint32_t l = 0; l < 32; ++l) {
            const float scale = d * static_cast<float>(scales[2 * u + l / 16]);
            const int q = pair(block.pairs, u, l) | bit(block.high_bits[l], u) << 2;
            out[32 * u + l] = scale * static_cast<float>(q - 4);
        }
    }
}

void dequantize_block(float *out, const BlockQ4_K &block) {
    const float d = half_at(block.d), dmin = half_at(block.dmin);
    uint8_t scales[8], minima[8];
    read_k_scales(scales, minima, block.scales);
    for (uint32_t u = 0; u < 8; ++u) {
        const float scale = d * static_cast<float>(scales[u]);
        const float minimum = dmin * static_cast<float>(minima[u]);
        for (uint32_t l = 0; l < 32; ++l) {
            const int q = (block.nibbles[u / 2 * 32 + l] >> (u % 2 * 4)) & 15;
            out[32 * u + l] = scale * static_cast<float>(q) - minimum;
        }
    }
}

void dequantize_block(float *out, const BlockQ5_K &block) {
    const float d = half_at(block.d), dmin = half_at(block.dmin);
    uint8_t scales[8], minima[8];
    read_k_scales(scales, minima, block.scales);
    for (uint32_t u = 0; u < 8; ++u) {
        const float scale = d * static_cast<float>(scales[u]);
        const float minimum = dmin * static_cast<float>(minima[u]);
        for (uint32_t l = 0; l < 32; ++l) {
            const int low = (block.nibbles[u / 2 * 32 + l] >> (u % 2 * 4)) & 15;
            const int q = low | bit(block.high_bits[l], u) << 4;
            out[32 * u + l] = scale * static_cast<float>(q) - minimum;
        }
    }
}

void dequantize_block(float *out, const BlockQ6_K &block) {
    const float d = half_at(block.d);
    for (uint32_t u = 0; u < 8; ++u) {
        for (uint32_t l = 0; l < 32; ++l) {
            const float scale = d * static_cast<float>(block.scales[2 * u + l / 16]);
            const int low = (block.nibbles[u / 4 * 64 + u % 2 * 32 + l] >> (u % 4 / 2 * 4)) & 15;
            const int q = low | pair(block.pairs, u, l) << 4;
            out[32 * u + l] = scale * static_cast<float>(q - 32);
        }
    }
}

void dequantize_block(float *out, const BlockIQ4_XS &block) {
    const float d = half_at(block.d);
    int8_t scales[8];
    read_iq4_xs_scales(scales, block);
    for (uint32_t u = 0; u < 8; ++u) {
        const float scale = d * static_cast<float>(scales[u]);
        for (uint32_t l = 0; l < 32; ++l)
            out[32 * u + l] = scale * static_cast<float>(iq4_values[nibble(block.nibbles + 16 * u, l)]);
    }
}

template <class Block>
void dequantize_blocks(float *out, const uint8_t *row, uint64_t columns) {
    const auto *blocks = reinterpret_cast<const Block *>(row);
    for (uint64_t i = 0; i < columns / Block::length; ++i) dequantize_block(out + i * Block::length, blocks[i]);
}

void copy_floats(float *out, const uint8_t *row, uint64_t columns) {
    for (uint64_t i = 0; i < columns; ++i) out[i] = load_unaligned<float>(row + 4 * i);
}

void widen_halves(float *out, const uint8_t *row, uint64_t columns) {
    for (uint64_t i = 0; i < columns; ++i) out[i] = half_at(row + 2 * i);
}

void widen_bfloats(float *out, const uint8_t *row, uint64_t columns) {
    for (uint64_t i = 0; i < columns; ++i) out[i] = bfloat_to_float(load_unaligned<uint16_t>(row + 2 * i));
}

using RowFunction = void (*)(float *out, const uint8_t *row, uint64_t columns);

RowFunction row_function(TensorType type) {
    switch (type) {
        case TensorType::f32:
            return copy_floats;
        case TensorType::f16:
            return widen_halves;
        case TensorType::bf16:
            return widen_bfloats;
        case TensorType::q4_0:
            return dequantize_blocks<BlockQ4_0>;
        case TensorType::q4_1:
            return dequantize_blocks<BlockQ4_1>;
        case TensorType::q5_0:
            return dequantize_blocks<BlockQ5_0>;
        case TensorType::q5_1:
            return dequantize_blocks<BlockQ5_1>;
        case TensorType::q8_0:
            return dequantize_blocks<BlockQ8_0>;
        case TensorType::iq4_nl:
            return dequantize_blocks<BlockIQ4_NL>;
        case TensorType::mxfp4:
            return dequantize_blocks<BlockMXFP4>;
        case TensorType::q2_k:
            return dequantize_blocks<BlockQ2_K>;
        case TensorType::q3_k:
            return dequantize_blocks<BlockQ3_K>;
        case TensorType::q4_k:
            return dequantize_blocks<BlockQ4_K>;
        case TensorType::q5_k:
            return dequantize_blocks<BlockQ5_K>;
        case TensorType::q6_k:
            return dequantize_blocks<BlockQ6_K>;
        case TensorType::iq4_xs:
            return dequantize_blocks<BlockIQ4_XS>;
        default:
            return nullptr;
    }
}

}  // namespace

bool is_dequantizable(TensorType type) { return row_function(type) != nullptr; }

void dequantize_row(float *out, TensorType type, const uint8_t *row, uint64_t columns) {
    const RowFunction function = row_function(type);
    if (function == nullptr) fail(LLM_ERROR_INTERNAL, "tensor type ", static_cast<uint32_t>(type), " has no reference");
    function(out, row, columns);
}

}  // namespace llm
