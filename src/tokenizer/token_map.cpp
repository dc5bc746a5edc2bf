#include "tokenizer/token_map.h"

#include <bit>
#include <cstring>
#include <limits>

namespace llm {

namespace {

uint64_t load(const char *bytes, size_t count) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, count);
    return word;
}

// Folded multiplication (the mixing step of wyhash).
uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ using uint128 = unsigned __int128;
    const uint128 product = static_cast<uint128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint64_t hash_text(std::string_view text) {
    constexpr uint64_t first_key = 0x9E3779B97F4A7C15u;
    constexpr uint64_t second_key = 0xD1B54A32D192ED03u;
    uint64_t hash = fold(text.size() ^ first_key, second_key);
    while (text.size() > 8) {
        hash = fold(hash ^ load(text.data(), 8), first_key);
        text.remove_prefix(8);
    }
    return fold(hash ^ load(text.data(), text.size()), second_key);
}

void StringTable::push_back(std::string_view text) {
    if (text.size() > std::numeric_limits<uint32_t>::max() - bytes_.size()) {
        fail(LLM_ERROR_LIMIT, "the vocabulary's texts are longer than 4 GiB together");
    }
    bytes_.append(text);
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
}

void StringTable::reserve(size_t count, size_t bytes) {
    ends_.reserve(count);
    bytes_.reserve(bytes);
}

void TokenMap::reserve(size_t count) {
    const size_t size = std::bit_ceil(2 * count + 2);
    if (size <= slots_.size()) return;
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
    used_ = 0;
    for (const Slot &slot : old) {
        if (slot.token != LLM_TOKEN_NONE) insert(slot.token);
    }
}

void TokenMap::insert(llm_token token) {
    reserve(used_ + 1);
    const std::string_view text = (*strings_)[token];
    const auto hash = static_cast<uint32_t>(hash_text(text));
    size_t index = hash & (slots_.size() - 1);
    while (slots_[index].token != LLM_TOKEN_NONE) {
        if (slots_[index].hash == hash && (*strings_)[slots_[index].token] == text) return;
        index = (index + 1) & (slots_.size() - 1);
    }
    slots_[index] = {hash, token};
    ++used_;
}

llm_token TokenMap::find(std::string_view text) const {
    if (slots_.empty()) return LLM_TOKEN_NONE;
    const auto hash = static_cast<uint32_t>(hash_text(text));
    size_t index = hash & (slots_.size() - 1);
    while (slots_[index].token != LLM_TOKEN_NONE) {
        if (slots_[index].hash == hash && (*strings_)[slots_[index].token] == text) return slots_[index].token;
        index = (index + 1) & (slots_.size() - 1);
    }
    return LLM_TOKEN_NONE;
}

}  // namespace llm
