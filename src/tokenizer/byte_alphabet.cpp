#include "tokenizer/byte_alphabet.h"

#include "base/utf8.h"

#include <array>

namespace llm {

namespace {

constexpr bool stands_for_itself(int byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

constexpr auto characters = [] {
    std::array<char16_t, 256> table = {};
    char16_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
        table[byte] = stands_for_itself(byte) ? static_cast<char16_t>(byte) : next++;
    }
    return table;
}();

constexpr auto bytes = [] {
    std::array<int16_t, 0x100 + 68> table = {};
    table.fill(-1);
    for (int byte = 0; byte < 256; ++byte) table[characters[byte]] = static_cast<int16_t>(byte);
    return table;
}();

}  // namespace

char32_t byte_alphabet_character(uint8_t byte) { return characters[byte]; }

int byte_alphabet_byte(char32_t character) { return character < bytes.size() ? bytes[character] : -1; }

void append_byte_alphabet_decoded(std::string &out, std::string_view spelling) {
    while (!spelling.empty()) {
        const Utf8Character character = decode_utf8(spelling);
        const int byte = character.well_formed ? byte_alphabet_byte(character.code_point) : -1;
        if (byte >= 0) {
            out.push_back(static_cast<char>(byte));
        } else {
            out.append(spelling.substr(0, character.length));
        }
        spelling.remove_prefix(character.length);
    }
}

}  // namespace llm
