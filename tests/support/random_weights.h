// Random weights as a file stores them, the same on every machine.
#pragma once

#include "support/gguf_builder.h"

#include <cstdint>
#include <random>
#include <vector>

namespace llm::test {

class RandomWeights {
public:
    explicit RandomWeights(uint32_t seed) : random_(seed) {}

    std::vector<uint8_t> f32(size_t count, float center, float spread) {
        ByteWriter out;
        for (size_t i = 0; i < count; ++i) {
            const float unit = static_cast<float>(random_() >> 8) * 0x1p-24f;  // 0 to 1
            out.put(center + spread * (2.0f * unit - 1.0f));
        }
        return out.bytes();
    }

    // Half floats of either sign, 2^-6 to 2^-5 in size.
    std::vector<uint8_t> f16(size_t count) {
        ByteWriter out;
        for (size_t i = 0; i < count; ++i) {
            const uint32_t bits = random_();
            out.put(static_cast<uint16_t>((bits & 0x8000) | half(9, bits)));
        }
        return out.bytes();
    }

    // Blocks of 32: a half-float scale, then 32 signed bytes.
    std::vector<uint8_t> q8_0(size_t count) {
        ByteWriter out;
        for (size_t block = 0; block < count / 32; ++block) {
            out.put(half(3, random_()));
            put_random(out, 32);
        }
        return out.bytes();
    }

    // Blocks of 256: scale of scales, scale of minima, 12 bytes of both in 6 bits, 128 bytes of quants.
    std::vector<uint8_t> q4_k(size_t count) {
        ByteWriter out;
        for (size_t block = 0; block < count / 256; ++block) {
            out.put(half(2, random_())).put(half(5, random_()));
            put_random(out, 12 + 128);
        }
        return out.bytes();
    }

private:
    // A positive half float between 2^(exponent - 15) and the next power of two.
    static uint16_t half(uint16_t exponent, uint32_t bits) {
        return static_cast<uint16_t>(exponent << 10 | (bits & 0x3ff));
    }

    void put_random(ByteWriter &out, size_t count) {
        for (size_t i = 0; i < count; ++i) out.put(static_cast<uint8_t>(random_()));
    }

    std::mt19937 random_;
};

}  // namespace llm::test
