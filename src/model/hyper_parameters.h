// The numbers that describe a model, read from the file's metadata and validated once, here.
#pragma once

#include "gguf/gguf_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

enum class RopeScaling { none, linear, yarn, longrope };

// Rotary position embedding (Su et al. 2021); YaRN scaling as in Peng et al. 2023.
struct RopeParameters {
    uint32_t dimension_count = 0;  // elements of a head that are rotated, even
    float base = 10000.0f;
    RopeScaling scaling = RopeScaling::none;
    float factor = 1.0f;  // by which the context was stretched
    float original_context_length = 0.0f;
    float attention_factor = 1.0f;
    float beta_fast = 32.0f, beta_slow = 1.0f;  // rotations over the original context between which YaRN blends

    bool operator==(const RopeParameters &) const = default;
};

struct HyperParameters {
    std::string architecture;
    uint32_t vocabulary_size = 0;
    uint32_t context_length = 0;  // that the model was trained for
    uint32_t embedding_length = 0;
    uint32_t layer_count = 0;
    uint32_t feed_forward_length = 0;
    uint32_t head_count = 0;
    uint32_t head_count_kv = 0;  // divides head_count
    uint32_t key_length = 0;     // elements of a head in queries and keys
    uint32_t value_length = 0;   // and in values and results
    uint32_t expert_count = 0;   // 0: no mixture of experts
    RopeParameters rope;

    uint32_t all_queries() const { return head_count * key_length; }
    uint32_t all_keys() const { return head_count_kv * key_length; }
    uint32_t all_values() const { return head_count_kv * value_length; }
    uint32_t all_results() const { return head_count * value_length; }
    uint32_t heads_per_group() const { return head_count / head_count_kv; }
};

// Reads "<architecture>.*" keys with typed access and the rules that every number must obey. Failures are
// LLM_ERROR_MODEL (or LLM_ERROR_UNSUPPORTED for a known key with an unknown word) and name key, value and rule.
class ParameterReader {
public:
    ParameterReader(const GgufFile &file, std::string_view architecture) : file_(file), prefix_(architecture) {}

    uint32_t count(std::string_view key, uint32_t minimum, uint32_t maximum) const;
    uint32_t count_or(std::string_view key, uint32_t fallback, uint32_t minimum, uint32_t maximum) const;
    float positive(std::string_view key) const;
    float positive_or(std::string_view key, float fallback) const;
    bool has(std::string_view key) const { return file_.find_key(full_key(key)) != nullptr; }
    bool flag_or(std::string_view key, bool fallback) const;
    // One flag for each layer, or nothing when the key is missing or no array.
    std::optional<std::vector<bool>> layer_flags(std::string_view key, uint32_t layer_count) const;
    std::string_view word_or(std::string_view key, std::string_view fallback) const;
    std::string full_key(std::string_view key) const;

private:
    const GgufFile &file_;
    std::string prefix_;
};

// Reads what all architectures share; an architecture's file reads its own keys. `vocabulary_size` is the number of
// tokens in the file.
HyperParameters read_hyper_parameters(const GgufFile &file, std::string_view architecture, uint32_t vocabulary_size);

// True for the words of "<architecture>.rope.scaling.type" that this build knows.
bool is_known_rope_scaling(std::string_view word);

}  // namespace llm
