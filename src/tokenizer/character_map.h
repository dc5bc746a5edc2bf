// The normalizer table of SentencePiece ("precompiled charsmap"): which sequences of bytes a text has replaced by
// which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// A blob of: the trie's size in bytes (u32, little-endian); the trie, a double array as Darts-clone writes it; the
// replacements, each ended by a NUL.
class CharacterMap {
public:
    // An empty blob replaces nothing. LLM_ERROR_VOCABULARY for one that is not what is said above, whose trie leads
    // outside itself or in a circle, or which has a sequence of more than 255 bytes.
    explicit CharacterMap(std::span<const uint8_t> blob);

    struct Replacement {
        size_t length = 0;  // of the sequence; 0 when none begins here
        std::string_view text;
    };

    // For the longest sequence that `text` begins with.
    Replacement find(std::string_view text) const;

private:
    // One element of the double array, by its bits.
    static bool has_value(uint32_t unit) { return (unit >> 8 & 1) != 0; }
    static uint32_t label(uint32_t unit) { return unit & 0x800000FFu; }  // above 255 where the unit is a value
    static uint32_t value(uint32_t unit) { return unit & 0x7FFFFFFFu; }
    static uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200u) >> 6); }

    struct Visit;
    Visit enter(uint32_t node, std::span<const uint32_t> first_children) const;
    void check_paths() const;

    std::vector<uint32_t> trie_;
    std::string replacements_;
};

}  // namespace llm
