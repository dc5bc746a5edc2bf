// UTF-8 as data: one decoder for everything that has to know where characters begin and which bytes are ill-formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace llm {

inline constexpr char32_t replacement_character = 0xFFFD;
inline constexpr std::string_view replacement_character_utf8 = "\xEF\xBF\xBD";

// The first character of a text. An ill-formed sequence is cut by the maximal-subpart rule (Unicode 15, section 3.9,
// "U+FFFD Substitution of Maximal Subparts"): its length is that of the longest beginning of a well-formed character,
// at least 1.
struct Utf8Character {
    char32_t code_point;  // replacement_character when ill-formed
    uint8_t length;       // in bytes, 1 to 4
    bool well_formed;
    bool incomplete;  // ill-formed only because the text ends; more bytes could complete it
};

// `text` must not be empty.
Utf8Character decode_utf8(std::string_view text);

// Appends a scalar value (not a surrogate, at most 0x10FFFF).
void append_utf8(std::string &out, char32_t code_point);

// Number of bytes at the start of `text` that are well-formed as a whole.
size_t well_formed_utf8_prefix(std::string_view text);

// Number of bytes at the start of `text` that hold no well-formed character. A character may begin in the middle of
// what looks like an ill-formed sequence ("\xE2\x82a": the a is one), so this stops at the first that is complete.
size_t ill_formed_utf8_prefix(std::string_view text);

}  // namespace llm
