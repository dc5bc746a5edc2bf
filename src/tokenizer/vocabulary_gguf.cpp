// Reads what a GGUF file says about its tokenizer.
#include "base/error.h"
#include "gguf/gguf_file.h"
#include "tokenizer/tokenizer.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

namespace {

std::vector<std::string_view> strings(const GgufStrings &array) {
    std::vector<std::string_view> out;
    out.reserve(array.size());
    for (size_t index = 0; index < array.size(); ++index) out.push_back(array[index]);
    return out;
}

// A name that chooses the tokenizer; empty when missing.
std::string_view name(const GgufFile &file, std::string_view key) {
    const GgufKey *found = file.find_key(key);
    if (found == nullptr) return {};
    if (found->type != ValueType::string) fail(LLM_ERROR_UNSUPPORTED, key, " is not a string");
    return file.get<std::string_view>(key);
}

VocabularyData read_vocabulary(const GgufFile &file, std::string_view pre_tokenizer) {
    VocabularyData data;
    data.model = name(file, "tokenizer.ggml.model");
    data.pre_tokenizer = pre_tokenizer.empty() ? name(file, "tokenizer.ggml.pre") : pre_tokenizer;
    Tokenizer::require_support(data.model, data.pre_tokenizer);
    data.name = file.find<std::string_view>("general.name").value_or("");
    data.architecture = file.find<std::string_view>("general.architecture").value_or("");
    data.tokens = strings(file.get_strings("tokenizer.ggml.tokens"));
    data.scores = file.find_array<float>("tokenizer.ggml.scores").value_or(std::vector<float>());
    data.types = file.find_array<int64_t>("tokenizer.ggml.token_type").value_or(std::vector<int64_t>());
    if (const auto merges = file.find_strings("tokenizer.ggml.merges")) data.merges = strings(*merges);
    for (size_t which = 0; which < special_token_count; ++which) {
        // An id of 2^32 - 1 is as wrong as any other out of range; only a signed -1 says that there is none.
        data.special[which] = file.find<int64_t>(special_token_key(static_cast<SpecialToken>(which)));
    }
    data.further_ends = file.find_array<int64_t>("tokenizer.ggml.eos_token_ids").value_or(std::vector<int64_t>());
    data.add_begin = file.find<bool>("tokenizer.ggml.add_bos_token");
    data.add_end = file.find<bool>("tokenizer.ggml.add_eos_token");
    data.add_separator = file.find<bool>("tokenizer.ggml.add_sep_token");
    data.add_space_prefix = file.find<bool>("tokenizer.ggml.add_space_prefix");
    data.remove_extra_whitespace = file.find<bool>("tokenizer.ggml.remove_extra_whitespaces");
    data.lowercase = file.find<bool>("tokenizer.ggml.normalizer.lowercase");
    data.strip_accents = file.find<bool>("tokenizer.ggml.normalizer.strip_accents");
    data.normalizer = file.find_bytes("tokenizer.ggml.precompiled_charsmap").value_or(std::span<const uint8_t>());
    return data;
}

}  // namespace

Tokenizer::Tokenizer(const GgufFile &file, std::string_view pre_tokenizer)
    : Tokenizer(read_vocabulary(file, pre_tokenizer)) {}

}  // namespace llm
