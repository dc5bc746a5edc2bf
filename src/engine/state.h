// The saved state of a sequence, as bytes:
//   "LLMSTATE"
//   u32 version, u32 type of keys, u32 type of values, u32 number of tokens
//   u64 fingerprint of the model, u64 bytes of the cache
//   tokens, u32 each; pages of the cache (KvCache::save)
//   u64 hash of everything before
// Numbers are little-endian. What is not needed for the next token is left out, so the same text gives the same bytes.
#pragma once

#include "kernels/kernel_table.h"

#include <cstdint>
#include <span>

namespace llm {

struct StateHeader {
    static constexpr size_t bytes = 40;

    CacheType key_type, value_type;
    uint32_t token_count;
    uint64_t fingerprint, cache_bytes;

    size_t state_bytes() const { return bytes + token_count * sizeof(uint32_t) + cache_bytes + sizeof(uint64_t); }
};

void write_state_header(std::span<uint8_t> state, const StateHeader &header);
// Writes the hash at the end of a state that is otherwise complete.
void seal_state(std::span<uint8_t> state);

// The header of a state whose length and hash are right. LLM_ERROR_TRUNCATED, LLM_ERROR_MALFORMED,
// LLM_ERROR_UNSUPPORTED.
StateHeader check_state(std::span<const uint8_t> state);

}  // namespace llm
