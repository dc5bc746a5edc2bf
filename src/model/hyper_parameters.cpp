#include "model/hyper_parameters.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace llm {

namespace {

constexpr uint32_t most_elements = 1u << 24;  // of an embedding or a hidden layer
constexpr uint32_t most_heads = 1u << 16;
constexpr uint32_t most_layers = 10000;
constexpr uint32_t most_experts = 4096;
constexpr uint32_t most_head_length = 512;  // what the attention kernels take

struct RopeScalingName {
    std::string_view word;
    RopeScaling scaling;
};

constexpr RopeScalingName rope_scaling_names[] = {
    {"none", RopeScaling::none},
    {"linear", RopeScaling::linear},
    {"yarn", RopeScaling::yarn},
    {"longrope", RopeScaling::longrope},
};

void read_heads(HyperParameters &p, const ParameterReader &read) {
    p.head_count = read.count("attention.head_count", 1, most_heads);
    p.head_count_kv = read.count_or("attention.head_count_kv", p.head_count, 1, p.head_count);
    if (p.head_count % p.head_count_kv != 0)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("attention.head_count_kv")), " is ", p.head_count_kv,
             ", which does not divide the ", p.head_count, " heads");

    // Both lengths default to an equal share of the embedding.
    const bool divides = p.embedding_length % p.head_count == 0;
    const uint32_t share = divides ? p.embedding_length / p.head_count : 0;
    p.key_length = read.count_or("attention.key_length", share, 1, most_head_length);
    p.value_length = read.count_or("attention.value_length", share, 1, most_head_length);
    if (p.key_length == 0 || p.value_length == 0)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("attention.head_count")), " is ", p.head_count,
             ", which does not divide the embedding length ", p.embedding_length);
    if (share > most_head_length && std::max(p.key_length, p.value_length) == share)
        fail(LLM_ERROR_UNSUPPORTED, "heads of ", share, " elements, this build knows up to ", most_head_length);
}

RopeScaling rope_scaling(const ParameterReader &read) {
    const std::string_view word = read.word_or("rope.scaling.type", "none");
    for (const RopeScalingName &name : rope_scaling_names)
        if (name.word == word) return name.scaling;
    fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(read.full_key("rope.scaling.type")), " is ", quoted(word),
         ", this build knows none, linear, yarn and longrope");
}

void read_rope(HyperParameters &p, const ParameterReader &read) {
    RopeParameters &rope = p.rope;
    rope.dimension_count = read.count_or("rope.dimension_count", p.key_length, 2, p.key_length);
    if (rope.dimension_count % 2 != 0)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("rope.dimension_count")), " is ", rope.dimension_count,
             ", must be even");
    rope.base = read.positive_or("rope.freq_base", 10000.0f);
    rope.scaling = rope_scaling(read);
    rope.factor = read.positive_or("rope.scaling.factor", read.positive_or("rope.scale_linear", 1.0f));
    // Files older than rope.scaling.type give the linear factor alone.
    if (rope.scaling == RopeScaling::none && read.word_or("rope.scaling.type", "").empty() && rope.factor != 1.0f)
        rope.scaling = RopeScaling::linear;
    rope.original_context_length =
        static_cast<float>(read.count_or("rope.scaling.original_context_length", p.context_length, 1, INT32_MAX));
    rope.attention_factor = read.positive_or("rope.scaling.attn_factor", 1.0f);
    rope.beta_fast = read.positive_or("rope.scaling.yarn_beta_fast", 32.0f);
    rope.beta_slow = read.positive_or("rope.scaling.yarn_beta_slow", 1.0f);
}

}  // namespace

std::string ParameterReader::full_key(std::string_view key) const { return prefix_ + "." + std::string(key); }

uint32_t ParameterReader::count_or(std::string_view key, uint32_t fallback, uint32_t minimum, uint32_t maximum) const {
    const std::optional<uint64_t> value = file_.find<uint64_t>(full_key(key));
    if (!value) return fallback;
    if (*value < minimum || *value > maximum)
        fail(LLM_ERROR_MODEL, "key ", quoted(full_key(key)), " is ", *value, ", must be ", minimum, " to ", maximum);
    return static_cast<uint32_t>(*value);
}

uint32_t ParameterReader::count(std::string_view key, uint32_t minimum, uint32_t maximum) const {
    file_.get<uint64_t>(full_key(key));  // fails when it is missing
    return count_or(key, 0, minimum, maximum);
}

float ParameterReader::positive_or(std::string_view key, float fallback) const {
    const std::optional<float> value = file_.find<float>(full_key(key));
    if (!value) return fallback;
    if (!(*value > 0.0f) || !std::isfinite(*value))
        fail(LLM_ERROR_MODEL, "key ", quoted(full_key(key)), " is ", *value, ", must be positive and finite");
    return *value;
}

float ParameterReader::positive(std::string_view key) const {
    file_.get<float>(full_key(key));
    return positive_or(key, 0.0f);
}

bool ParameterReader::flag_or(std::string_view key, bool fallback) const {
    return file_.find<bool>(full_key(key)).value_or(fallback);
}

std::optional<std::vector<bool>> ParameterReader::layer_flags(std::string_view key, uint32_t layer_count) const {
    const GgufKey *found = file_.find_key(full_key(key));
    if (!found || found->type != ValueType::array) return std::nullopt;
    std::vector<bool> flags = file_.get_array<bool>(full_key(key));
    if (flags.size() != layer_count)
        fail(LLM_ERROR_MODEL, "key ", quoted(full_key(key)), " has ", flags.size(),
             " elements, must be one for each of ", layer_count, " layers");
    return flags;
}

std::string_view ParameterReader::word_or(std::string_view key, std::string_view fallback) const {
    return file_.find<std::string_view>(full_key(key)).value_or(fallback);
}

HyperParameters read_hyper_parameters(const GgufFile &file, std::string_view architecture, uint32_t vocabulary_size) {
    const ParameterReader read(file, architecture);
    HyperParameters p;
    p.architecture = architecture;
    p.vocabulary_size = vocabulary_size;
    if (read.count_or("vocab_size", vocabulary_size, 1, UINT32_MAX) != vocabulary_size)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("vocab_size")), " is ",
             file.get<uint64_t>(read.full_key("vocab_size")), ", but the vocabulary has ", vocabulary_size, " tokens");
    // A huge context is fine: memory follows the context that is asked for.
    const uint64_t context = file.get<uint64_t>(read.full_key("context_length"));
    if (context == 0)
        fail(LLM_ERROR_MODEL, "key ", quoted(read.full_key("context_length")), " is 0, must be at least 1");
    p.context_length = static_cast<uint32_t>(std::min<uint64_t>(context, INT32_MAX));
    p.embedding_length = read.count("embedding_length", 1, most_elements);
    p.layer_count = read.count("block_count", 1, most_layers);
    p.feed_forward_length = read.count("feed_forward_length", 1, most_elements);
    read_heads(p, read);
    read_rope(p, read);
    p.expert_count = read.count_or("expert_count", 0, 0, most_experts);
    return p;
}

bool is_known_rope_scaling(std::string_view word) {
    return std::any_of(std::begin(rope_scaling_names), std::end(rope_scaling_names),
                       [word](const RopeScalingName &name) { return name.word == word; });
}

}  // namespace llm
