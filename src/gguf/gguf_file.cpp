// Looking things up in a GgufFile.
#include "gguf/gguf_file.h"

#include "base/byte_cursor.h"
#include "gguf/header_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace llm {

namespace {

template <class Item>
const Item *find_by_name(const std::vector<Item> &items, const std::vector<uint32_t> &order, std::string_view name) {
    const auto name_of = [&](uint32_t index) -> std::string_view { return items[index].name; };
    const auto found = std::ranges::lower_bound(order, name, {}, name_of);
    return found != order.end() && name_of(*found) == name ? &items[*found] : nullptr;
}

// "string", "array of u32".
std::string type_text(const GgufValue &value) {
    if (value.type != ValueType::array) return std::string(value_type_name(value.type));
    return concat("array of ", value_type_name(value.element_type));
}

template <class T>
constexpr std::string_view kind_text() {
    if constexpr (std::is_same_v<T, std::string_view>) return "string";
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_floating_point_v<T>) return "float";
    return "integer";
}

// "key 'x'", "element 3 of key 'x'".
std::string place_text(std::string_view name, std::optional<uint64_t> index) {
    return index ? concat("element ", *index, " of key ", quoted(name)) : concat("key ", quoted(name));
}

[[noreturn]] void fail_kind(std::string_view name, std::optional<uint64_t> index, const GgufValue &found,
                            std::string_view wanted) {
    fail(key_status(name), place_text(name, index), " has type ", type_text(found), ", ", wanted, " is wanted");
}

[[noreturn]] void fail_missing(std::string_view name) { fail(key_status(name), "key ", quoted(name), " is missing"); }

template <class T, class Stored>
T fitting(Stored value, std::string_view name, std::optional<uint64_t> index) {
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value) || std::abs(value) <= std::numeric_limits<T>::max()) return static_cast<T>(value);
    } else {
        if (std::in_range<T>(value)) return static_cast<T>(value);
    }
    fail(key_status(name), place_text(name, index), " is ", value, ", outside the range ",
         std::numeric_limits<T>::lowest(), " to ", std::numeric_limits<T>::max());
}

template <class T>
T convert(const GgufValue &value, std::string_view name, std::optional<uint64_t> index = {}) {
    using enum ValueType;
    constexpr bool want_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    switch (value.type) {
        case u8:
        case u16:
        case u32:
        case u64:
            if constexpr (want_integer) return fitting<T>(value.u, name, index);
            break;
        case i8:
        case i16:
        case i32:
        case i64:
            if constexpr (want_integer) return fitting<T>(value.i, name, index);
            break;
        case f32:
        case f64:
            if constexpr (std::is_floating_point_v<T>) return fitting<T>(value.f, name, index);
            break;
        case boolean:
            if constexpr (std::is_same_v<T, bool>) return value.u != 0;
            break;
        case string:
            if constexpr (std::is_same_v<T, std::string_view>) return value.text;
            break;
        case array:
            break;
    }
    fail_kind(name, index, value, kind_text<T>());
}

}  // namespace

llm_status key_status(std::string_view name) {
    return name.starts_with("tokenizer.") ? LLM_ERROR_VOCABULARY : LLM_ERROR_MODEL;
}

const GgufKey *GgufFile::find_key(std::string_view name) const { return find_by_name(keys_, keys_by_name_, name); }

const GgufTensor *GgufFile::find_tensor(std::string_view name) const {
    return find_by_name(tensors_, tensors_by_name_, name);
}

// From the start of the value on.
std::span<const uint8_t> GgufFile::value_bytes(const GgufKey &key) const {
    return std::span(header_).subspan(key.offset);
}

GgufValue GgufFile::value_of(const GgufKey &key) const {
    ByteCursor cursor(value_bytes(key));
    return HeaderReader(cursor, version_).value(key.type, key.name);
}

template <class T>
std::optional<T> GgufFile::find(std::string_view name) const {
    const GgufKey *key = find_key(name);
    if (!key) return std::nullopt;
    return convert<T>(value_of(*key), name);
}

template <class T>
T GgufFile::get(std::string_view name) const {
    if (const auto value = find<T>(name)) return *value;
    fail_missing(name);
}

template <class T>
std::optional<std::vector<T>> GgufFile::find_array(std::string_view name) const {
    const GgufKey *key = find_key(name);
    if (!key) return std::nullopt;
    if (key->type != ValueType::array || scalar_size(key->element_type) == 0) {
        fail_kind(name, {}, value_of(*key), concat("array of ", kind_text<T>()));
    }
    ByteCursor cursor(value_bytes(*key));
    HeaderReader reader(cursor, version_);
    reader.array(name);
    std::vector<T> elements;
    elements.reserve(key->count);
    for (uint64_t i = 0; i < key->count; ++i) {
        elements.push_back(convert<T>(reader.value(key->element_type, name), name, i));
    }
    return elements;
}

template <class T>
std::vector<T> GgufFile::get_array(std::string_view name) const {
    if (auto elements = find_array<T>(name)) return std::move(*elements);
    fail_missing(name);
}

std::optional<GgufStrings> GgufFile::find_strings(std::string_view name) const {
    const GgufKey *key = find_key(name);
    if (!key) return std::nullopt;
    if (key->type != ValueType::array || key->element_type != ValueType::string) {
        fail_kind(name, {}, value_of(*key), "array of string");
    }
    return GgufStrings(value_bytes(*key).data(), key->element_offsets, HeaderReader::length_size(version_));
}

GgufStrings GgufFile::get_strings(std::string_view name) const {
    if (const auto strings = find_strings(name)) return *strings;
    fail_missing(name);
}

std::optional<std::span<const uint8_t>> GgufFile::find_bytes(std::string_view name) const {
    const GgufKey *key = find_key(name);
    if (!key) return std::nullopt;
    const bool is_blob = key->element_type == ValueType::u8 || key->element_type == ValueType::i8;
    if (key->type != ValueType::array || !is_blob) fail_kind(name, {}, value_of(*key), "array of u8");
    ByteCursor cursor(value_bytes(*key));
    HeaderReader(cursor, version_).array(name);
    return cursor.take(key->count, {"value", name});
}

GgufValue GgufFile::value(std::string_view name) const { return element(name, {}); }

GgufValue GgufFile::element(std::string_view name, std::span<const uint64_t> indexes) const {
    const GgufKey *key = find_key(name);
    if (!key) fail(LLM_ERROR_NOT_FOUND, "the file has no key ", quoted(name));

    ByteCursor cursor(value_bytes(*key));
    HeaderReader reader(cursor, version_);
    ValueType type = key->type;
    for (size_t level = 0; level < indexes.size(); ++level) {
        if (type != ValueType::array) {
            fail(LLM_ERROR_ARGUMENT, "key ", quoted(name), " has ", level, " levels of arrays, ", indexes.size(),
                 " indexes were given");
        }
        const HeaderReader::Array array = reader.array(name);
        const uint64_t index = indexes[level];
        if (index >= array.count) {
            fail(LLM_ERROR_NOT_FOUND, "element ", index, " of key ", quoted(name), " does not exist: there are ",
                 array.count);
        }
        if (level == 0 && !key->element_offsets.empty()) {
            cursor.take(key->element_offsets[index] - cursor.offset(), {"value", name});
        } else {
            reader.skip(array.type, index, name);
        }
        type = array.type;
    }
    return reader.value(type, name);
}

#define LLM_INSTANTIATE(T)                                               \
    template std::optional<T> GgufFile::find<T>(std::string_view) const; \
    template T GgufFile::get<T>(std::string_view) const;
#define LLM_INSTANTIATE_ARRAY(T)                                                            \
    LLM_INSTANTIATE(T)                                                                      \
    template std::optional<std::vector<T>> GgufFile::find_array<T>(std::string_view) const; \
    template std::vector<T> GgufFile::get_array<T>(std::string_view) const;

LLM_INSTANTIATE(std::string_view)
LLM_INSTANTIATE_ARRAY(bool)
LLM_INSTANTIATE_ARRAY(float)
LLM_INSTANTIATE_ARRAY(int32_t)
LLM_INSTANTIATE_ARRAY(uint32_t)
LLM_INSTANTIATE_ARRAY(int64_t)
LLM_INSTANTIATE_ARRAY(uint64_t)

}  // namespace llm
