// The elements of a GGUF header; the only code that knows how each is stored.
#include "gguf/header_reader.h"

#include <algorithm>
#include <array>

namespace llm {

namespace {

bool is_printable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// Of one value as stored.
uint64_t smallest_size(ValueType type, uint32_t length_size) {
    if (type == ValueType::string) return length_size;
    if (type == ValueType::array) return sizeof(uint32_t) + length_size;
    return scalar_size(type);
}

}  // namespace

uint64_t HeaderReader::length(const BytePlace &place) {
    return version_ == 1 ? read<uint32_t>(place) : read<uint64_t>(place);
}

uint64_t HeaderReader::count(uint64_t smallest, const BytePlace &place) {
    const uint64_t start = offset();
    const uint64_t count = length(place);
    if (count > largest_file / smallest) {
        fail(LLM_ERROR_MALFORMED, place.text(), " at offset ", start, " is ", count, ", more than any file can hold");
    }
    const uint64_t most = cursor_.left() / smallest;
    if (count > most) {
        fail(LLM_ERROR_TRUNCATED, "the file is truncated: ", place.text(), " at offset ", start, " is ", count,
             ", the ", cursor_.left(), " bytes that are left hold at most ", most);
    }
    return count;
}

std::string HeaderReader::name(uint64_t longest, const BytePlace &place) {
    const uint64_t start = offset();
    const uint64_t size = length(place);
    if (size == 0) fail(LLM_ERROR_MALFORMED, "empty ", place.text(), " at offset ", start);
    if (size > longest) {
        fail(LLM_ERROR_MALFORMED, place.text(), " at offset ", start, " has ", size, " bytes, at most ", longest,
             " are allowed");
    }
    const auto bytes = cursor_.take(size, place);
    std::string name(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (!is_printable(name)) {
        fail(LLM_ERROR_MALFORMED, place.text(), " ", quoted(name), " at offset ", start, " is not printable ASCII");
    }
    return name;
}

ValueType HeaderReader::value_type(const BytePlace &place) {
    const uint64_t start = offset();
    const auto number = read<uint32_t>(place);
    if (number >= value_type_count) {
        fail(LLM_ERROR_MALFORMED, place.text(), " at offset ", start, " is ", number, ", the highest known is ",
             value_type_count - 1);
    }
    return static_cast<ValueType>(number);
}

HeaderReader::Array HeaderReader::array(std::string_view name) {
    const ValueType type = value_type({"element type", name});
    return {type, count(smallest_size(type, length_size()), {"array length", name})};
}

std::string_view HeaderReader::string(const BytePlace &place) {
    const uint64_t start = offset();
    const uint64_t size = length(place);
    if (size > largest_file) {
        fail(LLM_ERROR_MALFORMED, place.text(), " at offset ", start, " has a length of ", size,
             ", more than any file can hold");
    }
    const auto bytes = cursor_.take(size, place);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

GgufValue HeaderReader::value(ValueType type, std::string_view name) {
    const BytePlace place{"value", name};
    GgufValue value;
    value.type = type;
    switch (type) {
        case ValueType::u8:
        case ValueType::boolean:
            value.u = read<uint8_t>(place);
            break;
        case ValueType::u16:
            value.u = read<uint16_t>(place);
            break;
        case ValueType::u32:
            value.u = read<uint32_t>(place);
            break;
        case ValueType::u64:
            value.u = read<uint64_t>(place);
            break;
        case ValueType::i8:
            value.i = read<int8_t>(place);
            break;
        case ValueType::i16:
            value.i = read<int16_t>(place);
            break;
        case ValueType::i32:
            value.i = read<int32_t>(place);
            break;
        case ValueType::i64:
            value.i = read<int64_t>(place);
            break;
        case ValueType::f32:
            value.f = read<float>(place);
            break;
        case ValueType::f64:
            value.f = read<double>(place);
            break;
        case ValueType::string:
            value.text = string({"string", name});
            break;
        case ValueType::array: {
            const Array elements = array(name);
            value.element_type = elements.type;
            value.count = elements.count;
            break;
        }
    }
    return value;
}

void HeaderReader::skip_scalars(ValueType type, uint64_t count, std::string_view name) {
    const uint64_t start = offset();
    const BytePlace place{"value", name};
    if (count > largest_file / scalar_size(type)) cursor_.fail_truncated(count, place);
    const auto bytes = cursor_.take(count * scalar_size(type), place);
    if (type != ValueType::boolean) return;
    const auto wrong = std::ranges::find_if(bytes, [](uint8_t byte) { return byte > 1; });
    if (wrong == bytes.end()) return;
    fail(LLM_ERROR_MALFORMED, "bool of key ", quoted(name), " at offset ", start + (wrong - bytes.begin()), " is ",
         *wrong, ", neither 0 nor 1");
}

void HeaderReader::skip(ValueType type, uint64_t count, std::string_view name) {
    std::array<Array, deepest_array> open;  // at each level, the elements still to come
    size_t depth = 0;
    open[0] = {type, count};
    for (;;) {
        Array &level = open[depth];
        if (level.count > 0 && scalar_size(level.type) != 0) {
            skip_scalars(level.type, level.count, name);
            level.count = 0;
        }
        if (level.count == 0) {
            if (depth == 0) return;
            --depth;
            continue;
        }
        --level.count;
        if (level.type == ValueType::string) {
            string({"string", name});
            continue;
        }
        if (depth + 1 == open.size()) {
            fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(name), " at offset ", offset(), " nests arrays more than ",
                 deepest_array, " deep");
        }
        open[++depth] = array(name);
    }
}

}  // namespace llm
