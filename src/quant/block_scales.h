// The scales of blocks whose scales are themselves packed into a few bits.
#pragma once

#include "base/unaligned.h"
#include "quant/block_formats.h"

#include <bit>
#include <cstdint>

namespace llm {

// Q4_K and Q5_K: eight 6-bit scales and eight 6-bit minima in 12 bytes.
inline void read_k_scales(uint8_t scale[8], uint8_t minimum[8], const uint8_t packed[12]) {
    for (int i = 0; i < 4; ++i) {
        const uint8_t a = packed[i], b = packed[4 + i], c = packed[8 + i];
        scale[i] = a & 63;
        minimum[i] = b & 63;
        scale[4 + i] = static_cast<uint8_t>((c & 15) | ((a >> 6) << 4));
        minimum[4 + i] = static_cast<uint8_t>((c >> 4) | ((b >> 6) << 4));
    }
}

// Q3_K: sixteen 6-bit scales in 12 bytes, stored with an offset of 32, which is taken off here.
inline void read_q3_scales(int8_t scale[16], const uint8_t packed[12]) {
    for (int i = 0; i < 16; ++i) {
        const int low = (packed[i % 8] >> (i < 8 ? 0 : 4)) & 15;
        const int high = (packed[8 + i % 4] >> (i / 4 * 2)) & 3;
        scale[i] = static_cast<int8_t>((low | high << 4) - 32);
    }
}

// IQ4_XS: eight 6-bit scales, stored with an offset of 32, which is taken off here.
inline void read_iq4_xs_scales(int8_t scale[8], const BlockIQ4_XS &block) {
    const uint32_t high_bits = load_unaligned<uint16_t>(block.scales_high);
    for (uint32_t u = 0; u < 8; ++u) {
        const uint32_t low = (block.scales_low[u / 2] >> (u % 2 * 4)) & 15;
        const uint32_t high = (high_bits >> (2 * u)) & 3;
        scale[u] = static_cast<int8_t>(static_cast<int>(low | high << 4) - 32);
    }
}

// MXFP4: half of 2^(e - 127), for the doubled values of the table; subnormal for e < 2.
inline float mxfp4_scale(uint8_t exponent) {
    return std::bit_cast<float>(exponent < 2 ? 0x00200000u << exponent : (exponent - 1u) << 23);
}

}  // namespace llm
