// The alphabet in which byte-level vocabularies spell their tokens: one printable character for each byte, so that
// tokens are valid text. GPT-2 introduced it: bytes that are printable in Latin-1 stand for themselves, the others
// take the characters from U+0100 on in ascending order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace llm {

// The character that stands for a byte; its inverse gives -1 for a character that stands for none.
char32_t byte_alphabet_character(uint8_t byte);
int byte_alphabet_byte(char32_t character);

// Appends the bytes that a token's spelling stands for. Characters outside the alphabet stand for their own UTF-8
// bytes.
void append_byte_alphabet_decoded(std::string &out, std::string_view spelling);

}  // namespace llm
