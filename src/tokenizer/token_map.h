// Finds a token by its bytes. The bytes themselves stay where the caller keeps them.
#pragma once

#include "base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// A hash of short texts: eight bytes at a time, each step a multiplication whose two halves are folded.
uint64_t hash_text(std::string_view text);

// Strings by number, in one block of memory.
class StringTable {
public:
    // LLM_ERROR_LIMIT when all strings together are too long for 32-bit offsets.
    void push_back(std::string_view text);
    void reserve(size_t count, size_t bytes);

    size_t size() const { return ends_.size(); }
    std::string_view operator[](size_t index) const {
        const uint32_t begin = index == 0 ? 0 : ends_[index - 1];
        return {bytes_.data() + begin, ends_[index] - begin};
    }

private:
    std::string bytes_;
    std::vector<uint32_t> ends_;
};

// A hash table with open addressing from strings of a StringTable to their numbers. When the same string is inserted
// twice, the first number stays.
class TokenMap {
public:
    explicit TokenMap(const StringTable &strings) : strings_(&strings) {}

    void reserve(size_t count);
    void insert(llm_token token);

    // LLM_TOKEN_NONE when there is none.
    llm_token find(std::string_view text) const;

private:
    struct Slot {
        uint32_t hash;
        llm_token token = LLM_TOKEN_NONE;
    };

    const StringTable *strings_;
    std::vector<Slot> slots_;  // a power of two, never more than half full
    size_t used_ = 0;
};

}  // namespace llm
