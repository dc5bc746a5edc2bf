// One unit (32 elements) of a packed block's sixteen rows, taken apart, for the scalar kernels and for
// unpacking. Written to be read; the fast kernels have their own ways.
#pragma once

#include "base/half.h"
#include "quant/block_formats.h"
#include "quant/block_scales.h"
#include "quant/packed_blocks.h"

#include <cstdint>

namespace llm {

// Element e of row r is scale[p][r] * q[e][r] + minimum[p][r], where p = e / (32 / Block::parts) is its part.
struct ExpandedUnit {
    int8_t q[32][16];
    float scale[2][16];
    float minimum[2][16];  // left alone by formats without one
};

namespace detail {

inline void expand_nibbles(ExpandedUnit &unit, const packed::Nibbles &nibbles) {
    for (uint32_t e = 0; e < 16; ++e) {
        for (uint32_t r = 0; r < 16; ++r) {
            const uint32_t byte = nibbles.dword[e / 4][r] >> (e % 4 * 8);
            unit.q[e][r] = static_cast<int8_t>(byte & 15);
            unit.q[16 + e][r] = static_cast<int8_t>((byte >> 4) & 15);
        }
    }
}

inline void expand_pairs(ExpandedUnit &unit, const packed::TwosPlane &plane) {
    for (uint32_t e = 0; e < 32; ++e) {
        const uint32_t shift = e % 4 * 8 + e % 16 / 4 * 2;
        for (uint32_t r = 0; r < 16; ++r) unit.q[e][r] = static_cast<int8_t>((plane.dword[e / 16][r] >> shift) & 3);
    }
}

// Adds one bit to each element, as bit `place`.
inline void add_bits(ExpandedUnit &unit, const packed::OnesPlane &plane, uint32_t place) {
    for (uint32_t e = 0; e < 32; ++e) {
        const uint32_t shift = e % 4 * 8 + e / 4;
        for (uint32_t r = 0; r < 16; ++r) unit.q[e][r] |= static_cast<int8_t>(((plane.dword[r] >> shift) & 1) << place);
    }
}

// Adds two bits to each element, as bits `place` and `place` + 1.
inline void add_pairs(ExpandedUnit &unit, const packed::TwosPlane &plane, uint32_t place) {
    ExpandedUnit pairs;
    expand_pairs(pairs, plane);
    for (uint32_t e = 0; e < 32; ++e)
        for (uint32_t r = 0; r < 16; ++r) unit.q[e][r] |= static_cast<int8_t>(pairs.q[e][r] << place);
}

inline void subtract(ExpandedUnit &unit, int offset) {
    for (uint32_t e = 0; e < 32; ++e)
        for (uint32_t r = 0; r < 16; ++r) unit.q[e][r] = static_cast<int8_t>(unit.q[e][r] - offset);
}

inline void look_up(ExpandedUnit &unit, const int8_t table[16]) {
    for (uint32_t e = 0; e < 32; ++e)
        for (uint32_t r = 0; r < 16; ++r) unit.q[e][r] = table[unit.q[e][r]];
}

inline void set_halves(float out[16], const uint16_t halves[16]) {
    for (uint32_t r = 0; r < 16; ++r) out[r] = half_to_float(halves[r]);
}

template <class Integer>
void set_products(float out[16], const uint16_t halves[16], const Integer factors[16]) {
    for (uint32_t r = 0; r < 16; ++r) out[r] = half_to_float(halves[r]) * static_cast<float>(factors[r]);
}

inline void set_minima(float out[16], const uint16_t halves[16], const uint8_t factors[16]) {
    for (uint32_t r = 0; r < 16; ++r) out[r] = -(half_to_float(halves[r]) * static_cast<float>(factors[r]));
}

}  // namespace detail

// Takes unit `u` (0 .. Block::units - 1) of a packed block apart. An overload for each format.
inline void expand_unit(ExpandedUnit &unit, const packed::Q4_0 &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    detail::expand_nibbles(unit, block.nibbles);
    detail::subtract(unit, 8);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q4_1 &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    detail::set_halves(unit.minimum[0], block.m);
    detail::expand_nibbles(unit, block.nibbles);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q5_0 &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    detail::expand_nibbles(unit, block.nibbles);
    detail::add_bits(unit, block.high, 4);
    detail::subtract(unit, 16);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q5_1 &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    detail::set_halves(unit.minimum[0], block.m);
    detail::expand_nibbles(unit, block.nibbles);
    detail::add_bits(unit, block.high, 4);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q8_0 &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    for (uint32_t e = 0; e < 32; ++e) {
        for (uint32_t r = 0; r < 16; ++r) {
            const uint32_t byte = (block.bytes.dword[e / 4][r] >> (e % 4 * 8)) & 255;
            unit.q[e][r] = static_cast<int8_t>(static_cast<int>(byte) - 128);
        }
    }
}

inline void expand_unit(ExpandedUnit &unit, const packed::IQ4_NL &block, uint32_t) {
    detail::set_halves(unit.scale[0], block.d);
    detail::expand_nibbles(unit, block.nibbles);
    detail::look_up(unit, iq4_values);
}

inline void expand_unit(ExpandedUnit &unit, const packed::MXFP4 &block, uint32_t) {
    for (uint32_t r = 0; r < 16; ++r) unit.scale[0][r] = mxfp4_scale(block.exponent[r]);
    detail::expand_nibbles(unit, block.nibbles);
    detail::look_up(unit, mxfp4_doubled_values);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q4_K &block, uint32_t u) {
    detail::set_products(unit.scale[0], block.d, block.scale[u]);
    detail::set_minima(unit.minimum[0], block.dmin, block.minimum[u]);
    detail::expand_nibbles(unit, block.unit[u].nibbles);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q5_K &block, uint32_t u) {
    detail::set_products(unit.scale[0], block.d, block.scale[u]);
    detail::set_minima(unit.minimum[0], block.dmin, block.minimum[u]);
    detail::expand_nibbles(unit, block.unit[u].nibbles);
    detail::add_bits(unit, block.unit[u].high, 4);
}

inline void expand_unit(ExpandedUnit &unit, const packed::IQ4_XS &block, uint32_t u) {
    detail::set_products(unit.scale[0], block.d, block.scale[u]);
    detail::expand_nibbles(unit, block.unit[u].nibbles);
    detail::look_up(unit, iq4_values);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q2_K &block, uint32_t u) {
    for (uint32_t p = 0; p < 2; ++p) {
        uint8_t scale[16], minimum[16];
        for (uint32_t r = 0; r < 16; ++r) {
            scale[r] = block.scale_minimum[2 * u + p][r] & 15;
            minimum[r] = block.scale_minimum[2 * u + p][r] >> 4;
        }
        detail::set_products(unit.scale[p], block.d, scale);
        detail::set_minima(unit.minimum[p], block.dmin, minimum);
    }
    detail::expand_pairs(unit, block.unit[u].low);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q3_K &block, uint32_t u) {
    for (uint32_t p = 0; p < 2; ++p) detail::set_products(unit.scale[p], block.d, block.scale[2 * u + p]);
    detail::expand_pairs(unit, block.unit[u].low);
    detail::add_bits(unit, block.unit[u].high, 2);
    detail::subtract(unit, 4);
}

inline void expand_unit(ExpandedUnit &unit, const packed::Q6_K &block, uint32_t u) {
    for (uint32_t p = 0; p < 2; ++p) detail::set_products(unit.scale[p], block.d, block.scale[2 * u + p]);
    detail::expand_nibbles(unit, block.unit[u].nibbles);
    detail::add_pairs(unit, block.unit[u].high, 4);
    detail::subtract(unit, 32);
}

}  // namespace llm
