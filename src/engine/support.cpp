#include "engine/support.h"

#include "base/error.h"
#include "model/architecture.h"
#include "model/hyper_parameters.h"
#include "quant/dequantize.h"
#include "quant/packing.h"
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>

namespace llm {

namespace {

std::string text_or_empty(const GgufFile &file, std::string_view key) {
    const GgufKey *found = file.find_key(key);
    return found && found->type == ValueType::string ? std::string(file.value(key).text) : "";
}

// A key's number, or 0 when it is missing, no integer, or too large for its place.
uint32_t number_or_zero(const GgufFile &file, const std::string &key) {
    const GgufKey *found = file.find_key(key);
    if (!found || found->type == ValueType::string || found->type == ValueType::array) return 0;
    const GgufValue value = file.value(key);
    const uint64_t number = value.u != 0 ? value.u : value.i > 0 ? static_cast<uint64_t>(value.i) : 0;
    return static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
}

// A tensor's type can be computed with: vectors are expanded when they are loaded, matrices are not.
bool is_supported(const GgufTensor &tensor) {
    if (!tensor.traits) return false;
    return tensor.dimension_count == 1 ? is_dequantizable(tensor.traits->type) : is_packable(tensor.traits->type);
}

std::string type_name(const GgufTensor &tensor) {
    return tensor.traits ? std::string(tensor.traits->name) : concat("type ", tensor.type_number);
}

std::string main_tensor_type(const GgufFile &file) {
    std::map<std::string_view, uint64_t> bytes;
    for (const GgufTensor &tensor : file.tensors())
        if (tensor.traits) bytes[tensor.traits->name] += tensor.byte_count;
    const auto most =
        std::max_element(bytes.begin(), bytes.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == bytes.end() ? "" : std::string(most->first);
}

// "135M", "1.24B": three digits.
std::string scaled_count(uint64_t count) {
    constexpr std::string_view units[] = {"", "K", "M", "B", "T"};
    double value = static_cast<double>(count);
    size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000;
    char text[32];
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    const auto end = std::to_chars(text, std::end(text), value, std::chars_format::fixed, decimals).ptr;
    return concat(std::string_view(text, static_cast<size_t>(end - text)), units[unit]);
}

}  // namespace

ModelFacts read_model_facts(const GgufFile &file) {
    ModelFacts facts = {};
    facts.architecture = text_or_empty(file, "general.architecture");
    facts.name = text_or_empty(file, "general.name");
    facts.main_type = main_tensor_type(file);
    const auto number = [&](std::string_view key) {
        return number_or_zero(file, concat(facts.architecture, ".", key));
    };
    const GgufKey *tokens = file.find_key("tokenizer.ggml.tokens");
    facts.vocabulary_size = tokens ? static_cast<uint32_t>(tokens->count) : number("vocab_size");
    facts.context_length = number("context_length");
    facts.embedding_length = number("embedding_length");
    facts.layer_count = number("block_count");
    facts.head_count = number("attention.head_count");
    facts.head_count_kv = number("attention.head_count_kv");
    if (facts.head_count_kv == 0) facts.head_count_kv = facts.head_count;
    facts.head_length = number("attention.key_length");
    if (facts.head_length == 0 && facts.head_count != 0) facts.head_length = facts.embedding_length / facts.head_count;
    facts.feed_forward_length = number("feed_forward_length");
    facts.expert_count = number("expert_count");
    facts.expert_used_count = number("expert_used_count");
    const Architecture *architecture = find_architecture(facts.architecture);
    facts.is_known = architecture != nullptr;
    facts.is_encoder = architecture && architecture->is_encoder;
    for (const GgufTensor &tensor : file.tensors()) facts.parameter_count += tensor.element_count;
    facts.description = concat(facts.architecture, " ", scaled_count(facts.parameter_count), " ", facts.main_type);
    return facts;
}

bool SupportReport::runnable() const {
    return architecture.supported && tokenizer.supported && pre_tokenizer.supported && rope_scaling.supported &&
           std::all_of(tensor_types.begin(), tensor_types.end(), [](const Item &item) { return item.supported; });
}

SupportReport report_support(const GgufFile &file) {
    SupportReport report;
    const std::string architecture = text_or_empty(file, "general.architecture");
    report.architecture = {"architecture", architecture, find_architecture(architecture) != nullptr};

    const std::string model = text_or_empty(file, "tokenizer.ggml.model");
    const std::string pre = text_or_empty(file, "tokenizer.ggml.pre");
    report.tokenizer = {"tokenizer", model, Tokenizer::supports_model(model)};
    report.pre_tokenizer = {"pre_tokenizer", pre, Tokenizer::supports(model, pre)};

    std::string scaling = text_or_empty(file, architecture + ".rope.scaling.type");
    if (scaling.empty()) scaling = "none";
    report.rope_scaling = {"rope_scaling", scaling, is_known_rope_scaling(scaling)};

    for (const GgufTensor &tensor : file.tensors()) {
        const std::string name = type_name(tensor);
        const auto known = std::find_if(report.tensor_types.begin(), report.tensor_types.end(),
                                        [&](const SupportReport::Item &item) { return item.name == name; });
        if (known == report.tensor_types.end())
            report.tensor_types.push_back({"tensor_type", name, is_supported(tensor)});
        else
            known->supported = known->supported && is_supported(tensor);
    }
    return report;
}

}  // namespace llm
