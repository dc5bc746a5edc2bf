// A hash of bytes, for checksums and fingerprints. It finds accidents, not forgeries.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace llm {

// Each step is a bijection both of the hash so far and of the next 8 bytes. So two inputs of the same length that
// differ inside one aligned group of 8 bytes never have the same hash. The constant is 2^64 divided by the golden
// ratio.
inline uint64_t hash_bytes(std::span<const uint8_t> bytes, uint64_t seed = 0) {
    const auto mix = [](uint64_t hash, uint64_t word) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15;
        return hash ^ (hash >> 32);
    };
    uint64_t hash = mix(seed, bytes.size());
    for (uint64_t word = 0; !bytes.empty(); word = 0) {
        const size_t count = bytes.size() < sizeof word ? bytes.size() : sizeof word;
        std::memcpy(&word, bytes.data(), count);
        hash = mix(hash, word);
        bytes = bytes.subspan(count);
    }
    return hash;
}

}  // namespace llm
