// Metadata values: typed in the file, numbers, texts and lists here.
#include "metadata.h"

#include "text_io.h"

#include <charconv>
#include <cmath>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using Indexes = std::vector<std::uint64_t>;

constexpr std::size_t deepest_array = 8;      // nested arrays below are left out
constexpr std::uint64_t shown_elements = 6;   // of an array in a line
constexpr std::size_t shown_text_bytes = 96;  // of a text in a line

// A number of single precision with as many digits as it needs: 1e-05, not 9.999999747378752e-06.
double shortest(double value) {
    if (!std::isfinite(value)) return value;
    char text[32];
    const char *end = std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
    double out = 0;
    std::from_chars(text, end, out);
    return out;
}

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

std::string dump(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json value_json(const llm_model *model, const char *key) { return element_json(model, key, {}, UINT64_MAX); }

std::string value_line(const llm_model *model, const char *key) {
    llm_value value = LLM_VALUE_INIT;
    check(llm_metadata_get(&value, model, key));
    if (value.type == LLM_VALUE_STRING) {
        const std::string_view text(value.text, value.text_length);
        return printable(text.substr(0, shown_text_bytes)) + (text.size() > shown_text_bytes ? "..." : "");
    }
    const std::string text = printable(dump(element_json(model, key, {}, shown_elements)));
    if (value.type != LLM_VALUE_ARRAY) return text;
    const std::string number = std::to_string(value.count);
    return "[" + number + "] " + text + (value.count > shown_elements ? "..." : "");
}

}  // namespace cli
