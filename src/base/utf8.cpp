// The well-formed byte sequences are those of table 3-7 of the Unicode standard, version 15.
#include "base/utf8.h"

#include <cstring>

namespace llm {

namespace {

// What the lead byte says: the length of the character and the range of its second byte.
struct Lead {
    uint8_t length;  // 0: no character starts with this byte
    uint8_t second_minimum;
    uint8_t second_maximum;
};

constexpr Lead lead_of(uint8_t byte) {
    if (byte < 0x80) return {1, 0, 0};
    if (byte < 0xC2) return {0, 0, 0};
    if (byte < 0xE0) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte < 0xF0) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte < 0xF4) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

bool is_ascii_word(const char *bytes) {
    uint64_t word;
    std::memcpy(&word, bytes, sizeof word);
    return (word & 0x8080808080808080u) == 0;
}

}  // namespace

Utf8Character decode_utf8(std::string_view text) {
    const auto byte = [&](size_t index) { return static_cast<uint8_t>(text[index]); };
    const Lead lead = lead_of(byte(0));
    if (lead.length == 1) return {byte(0), 1, true, false};
    if (lead.length == 0) return {replacement_character, 1, false, false};

    char32_t code_point = byte(0) & (0x7Fu >> lead.length);
    for (uint8_t index = 1; index < lead.length; ++index) {
        if (index == text.size()) return {replacement_character, index, false, true};
        const uint8_t minimum = index == 1 ? lead.second_minimum : 0x80;
        const uint8_t maximum = index == 1 ? lead.second_maximum : 0xBF;
        if (byte(index) < minimum || byte(index) > maximum) return {replacement_character, index, false, false};
        code_point = code_point << 6 | (byte(index) & 0x3Fu);
    }
    return {code_point, lead.length, true, false};
}

void append_utf8(std::string &out, char32_t code_point) {
    const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    const auto push_continuation = [&](int shift) { push(0x80 | (code_point >> shift & 0x3F)); };
    if (code_point < 0x80) {
        push(code_point);
    } else if (code_point < 0x800) {
        push(0xC0 | code_point >> 6);
        push_continuation(0);
    } else if (code_point < 0x10000) {
        push(0xE0 | code_point >> 12);
        push_continuation(6);
        push_continuation(0);
    } else {
        push(0xF0 | code_point >> 18);
        push_continuation(12);
        push_continuation(6);
        push_continuation(0);
    }
}

size_t well_formed_utf8_prefix(std::string_view text) {
    size_t position = 0;
    while (position < text.size()) {
        if (text.size() - position >= 8 && is_ascii_word(text.data() + position)) {
            position += 8;
            continue;
        }
        const Utf8Character character = decode_utf8(text.substr(position));
        if (!character.well_formed) break;
        position += character.length;
    }
    return position;
}

size_t ill_formed_utf8_prefix(std::string_view text) {
    size_t position = 0;
    while (position < text.size()) {
        const Utf8Character character = decode_utf8(text.substr(position));
        if (character.well_formed) break;
        position += character.length;
    }
    return position;
}

}  // namespace llm
