// Tables of bert_tables.cpp, each in ascending order of characters.
#pragma once

#include <cstdint>
#include <span>

namespace llm {

struct CharacterRange {
    char32_t first, last;
};

// What a character becomes: another character,
struct CharacterFold {
    char32_t from, to;
};
// or several, up to the first 0.
struct CharacterSequenceFold {
    char32_t from;
    char32_t to[3];
};

std::span<const CharacterFold> character_folds();  // decomposed and without accents
std::span<const CharacterSequenceFold> character_sequence_folds();
std::span<const CharacterFold> lower_case_folds();  // but for U+0130, which becomes two characters
std::span<const CharacterRange> accent_ranges();    // non-spacing marks
std::span<const CharacterRange> control_ranges();   // control, format and private-use characters, and U+FFFD

}  // namespace llm
