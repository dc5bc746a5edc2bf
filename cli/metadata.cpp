// Metadata values: typed in the file, numbers, texts and lists here.
#include "metadata.h"

#include "text_io.h"

#include <algorithm>

namespace cli {
namespace {

using Indexes = std::vector<std::uint64_t>;

constexpr std::size_t deepest_array = 8;      // nested arrays below are left out
constexpr std::uint64_t shown_elements = 6;   // of an array in a line
constexpr std::size_t shown_text_bytes = 96;  // of a text in a line
constexpr std::size_t shown_array_bytes = 400;

Json scalar_json(const llm_value &value) {
    switch (value.type) {
        case LLM_VALUE_STRING:
            return std::string(value.text, value.text_length);
        case LLM_VALUE_BOOL:
            return value.u != 0;
        case LLM_VALUE_F32:
            return shortest(value.f);
        case LLM_VALUE_F64:
            return value.f;
        case LLM_VALUE_I8:
        case LLM_VALUE_I16:
        case LLM_VALUE_I32:
        case LLM_VALUE_I64:
            return value.i;
        default:
            return value.u;
    }
}

// The value of a key, or the element of it that the indexes lead to; of each array the first `limit` elements.
Json element_json(const llm_model *model, const char *key, const Indexes &indexes, std::uint64_t limit) {
    llm_value value = LLM_VALUE_INIT;
    check(indexes.empty() ? llm_metadata_get(&value, model, key)
                          : llm_metadata_element(&value, model, key, indexes.data(), indexes.size()));
    if (value.type != LLM_VALUE_ARRAY) return scalar_json(value);
    Json array = Json::array();
    if (indexes.size() == deepest_array) return array;
    Indexes inner = indexes;
    for (inner.push_back(0); inner.back() < std::min(value.count, limit); inner.back()++)
        array.push_back(element_json(model, key, inner, limit));
    return array;
}

// Ends between characters.
std::string shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string(text);
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) limit--;
    return std::string(text.substr(0, limit)) + "...";
}

}  // namespace

Json value_json(const llm_model *model, const char *key) { return element_json(model, key, {}, UINT64_MAX); }

std::string value_text(const llm_model *model, const char *key) {
    const Json value = value_json(model, key);
    return value.is_string() ? value.get<std::string>() : json_text(value);
}

std::string value_line(const llm_model *model, const char *key) {
    llm_value value = LLM_VALUE_INIT;
    check(llm_metadata_get(&value, model, key));
    if (value.type == LLM_VALUE_STRING) return printable(shortened({value.text, value.text_length}, shown_text_bytes));
    const std::string text = json_text(element_json(model, key, {}, shown_elements));
    if (value.type != LLM_VALUE_ARRAY) return printable(text);
    std::string line = "[";
    line += std::to_string(value.count) + "] " + printable(shortened(text, shown_array_bytes));
    return line + (value.count > shown_elements ? "..." : "");
}

}  // namespace cli
