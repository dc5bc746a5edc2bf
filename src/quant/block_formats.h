// The blocks of quantized tensors as they stand in GGUF files. Fields of several bytes are little endian and held as
// bytes, so that a block may start at any address. Source of the layouts: ggml/src/ggml-common.h of ggml-org/llama.cpp.
#pragma once

#include <cstdint>

namespace llm {

// ---- 32 elements: byte j of `nibbles` has element j in its low half, element j + 16 in its high half --------------

struct BlockQ4_0 {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    uint8_t nibbles[16];
};

struct BlockQ4_1 {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    uint8_t m[2];
    uint8_t nibbles[16];
};

struct BlockQ5_0 {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    uint8_t high_bits[4];  // bit j is bit 4 of element j
    uint8_t nibbles[16];
};

struct BlockQ5_1 {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    uint8_t m[2];
    uint8_t high_bits[4];  // as in Q5_0
    uint8_t nibbles[16];
};

struct BlockQ8_0 {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    int8_t q[32];
};

struct BlockIQ4_NL {
    static constexpr uint32_t length = 32;
    uint8_t d[2];
    uint8_t nibbles[16];  // indexes of iq4_values
};

struct BlockMXFP4 {
    static constexpr uint32_t length = 32;
    uint8_t exponent;
    uint8_t nibbles[16];  // indexes of mxfp4_doubled_values
};

// ---- 256 elements. Element 32u + l, with l < 32, is element l of unit u -------------------------------------------

struct BlockQ2_K {
    static constexpr uint32_t length = 256;
    uint8_t scales[16];  // for each 16 elements: scale in the low half, minimum in the high half
    uint8_t pairs[64];   // bits 2(u % 4) .. of byte 32(u / 4) + l are element l of unit u
    uint8_t d[2];
    uint8_t dmin[2];
};

struct BlockQ3_K {
    static constexpr uint32_t length = 256;
    uint8_t high_bits[32];  // bit u of byte l is bit 2 of element l of unit u
    uint8_t pairs[64];      // bits 0 and 1, as in Q2_K
    uint8_t scales[12];     // read_q3_scales()
    uint8_t d[2];
};

struct BlockQ4_K {
    static constexpr uint32_t length = 256;
    uint8_t d[2];
    uint8_t dmin[2];
    uint8_t scales[12];    // read_k_scales()
    uint8_t nibbles[128];  // byte 32(u / 2) + l: its low half for even u, its high half for odd u
};

struct BlockQ5_K {
    static constexpr uint32_t length = 256;
    uint8_t d[2];
    uint8_t dmin[2];
    uint8_t scales[12];     // read_k_scales()
    uint8_t high_bits[32];  // bit u of byte l is bit 4 of element l of unit u
    uint8_t nibbles[128];   // as in Q4_K
};

struct BlockQ6_K {
    static constexpr uint32_t length = 256;
    uint8_t nibbles[128];  // byte 64(u / 4) + 32(u % 2) + l: its low half for u % 4 < 2, its high half for the others
    uint8_t pairs[64];     // bits 4 and 5, placed as in Q2_K
    int8_t scales[16];     // one for each 16 elements
    uint8_t d[2];
};

struct BlockIQ4_XS {
    static constexpr uint32_t length = 256;
    uint8_t d[2];
    uint8_t scales_high[2];  // read_iq4_xs_scales()
    uint8_t scales_low[4];
    uint8_t nibbles[128];  // 16 bytes for each unit, as in IQ4_NL
};

static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34 && sizeof(BlockIQ4_NL) == 18);
static_assert(sizeof(BlockMXFP4) == 17 && sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110);
static_assert(sizeof(BlockQ4_K) == 144 && sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);
static_assert(sizeof(BlockIQ4_XS) == 136);

// ---- The values that four bits stand for --------------------------------------------------------------------------

inline constexpr int8_t iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// E2M1 numbers times two, so that they are integers.
inline constexpr int8_t mxfp4_doubled_values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

}  // namespace llm
