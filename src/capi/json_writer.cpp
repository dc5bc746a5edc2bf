#include "capi/json_writer.h"

#include "base/utf8.h"

namespace llm {

JsonWriter &JsonWriter::begin_object(std::string_view key) {
    begin_member(key);
    out_ += '{';
    needs_comma_ = false;
    return *this;
}

JsonWriter &JsonWriter::end_object() {
    out_ += '}';
    needs_comma_ = true;
    return *this;
}

JsonWriter &JsonWriter::begin_array(std::string_view key) {
    begin_member(key);
    out_ += '[';
    needs_comma_ = false;
    return *this;
}

JsonWriter &JsonWriter::end_array() {
    out_ += ']';
    needs_comma_ = true;
    return *this;
}

JsonWriter &JsonWriter::text(std::string_view key, std::string_view value) {
    begin_member(key);
    append_quoted(value);
    return *this;
}

JsonWriter &JsonWriter::number(std::string_view key, long long value) {
    begin_member(key);
    out_ += std::to_string(value);
    return *this;
}

JsonWriter &JsonWriter::boolean(std::string_view key, bool value) {
    begin_member(key);
    out_ += value ? "true" : "false";
    return *this;
}

void JsonWriter::begin_member(std::string_view key) {
    if (needs_comma_) out_ += ", ";
    needs_comma_ = true;
    if (key.empty()) return;
    append_quoted(key);
    out_ += ": ";
}

void JsonWriter::append_quoted(std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    out_ += '"';
    while (!text.empty()) {
        const Utf8Character character = decode_utf8(text);
        if (!character.well_formed) {
            out_ += replacement_character_utf8;
        } else if (character.code_point < 0x20) {
            out_ += "\\u00";
            out_ += digits[character.code_point >> 4];
            out_ += digits[character.code_point & 15];
        } else {
            if (character.code_point == '"' || character.code_point == '\\') out_ += '\\';
            out_ += text.substr(0, character.length);
        }
        text.remove_prefix(character.length);
    }
    out_ += '"';
}

}  // namespace llm
