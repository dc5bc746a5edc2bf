// Which two characters stand next to each other in some token. Where two neighbours of a text do not, no merge can
// ever join them, so that the text may be cut there and its parts be merged one by one.
#pragma once

#include "tokenizer/vocabulary.h"

#include <cstdint>
#include <vector>

namespace llm {

class AdjacencyFilter {
public:
    explicit AdjacencyFilter(const Vocabulary &vocabulary);

    // False only if no token has these two side by side.
    bool may_join(char32_t left, char32_t right) const {
        const uint64_t bit = hash(left, right) & mask_;
        return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
    }

private:
    static uint64_t hash(char32_t left, char32_t right) {
        return ((uint64_t(left) << 32 | right) * 0x9E3779B97F4A7C15u) >> 40;
    }

    std::vector<uint64_t> bits_;  // a power of two of them, at most 2^24
    uint64_t mask_;
};

}  // namespace llm
