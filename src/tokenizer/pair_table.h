// The merges that a file lists: which two neighbouring tokens become which third, and in which order.
#pragma once

#include "tokenizer/merge.h"
#include "tokenizer/vocabulary.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

class PairTable {
public:
    // Each merge is two spellings with a space between; the first space that is not the first byte counts. A merge is
    // skipped when it has none, or when a half or what they give together is no token; of equal ones the first counts.
    PairTable(const Vocabulary &vocabulary, std::span<const std::string_view> merges);

    Merge find(llm_token left, llm_token right) const {
        size_t index = place(left, right);
        while (slots_[index].left != LLM_TOKEN_NONE) {
            if (slots_[index].left == left && slots_[index].right == right) return slots_[index].merge;
            index = (index + 1) & (slots_.size() - 1);
        }
        return {no_merge, LLM_TOKEN_NONE};
    }

private:
    struct Slot {
        llm_token left = LLM_TOKEN_NONE;
        llm_token right = LLM_TOKEN_NONE;
        Merge merge = {no_merge, LLM_TOKEN_NONE};
    };

    size_t place(llm_token left, llm_token right) const {
        const uint64_t key = uint64_t(uint32_t(left)) << 32 | uint32_t(right);
        return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
    }
    void insert(const Slot &added);

    std::vector<Slot> slots_;  // a power of two, with free ones
    uint32_t shift_;           // 64 minus the logarithm of their number
};

}  // namespace llm
