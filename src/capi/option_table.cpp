#include "capi/option_table.h"

#include "base/error.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace llm {

namespace {

constexpr double most_threads = 1024;
constexpr double most_int32 = INT32_MAX;
constexpr double most_uint32 = UINT32_MAX;
constexpr double most_context = 1 << 24;
constexpr double most_bytes = 9007199254740992.0;  // 2^53: up to it every whole number is a double
constexpr double least_factor = 0.01f;

constexpr OptionField model_fields[] = {
    {"load", "how weights are kept: packed for speed, or computed from the mapped file", "packed|mapped",
     FieldType::int32, offsetof(llm_model_options, load), LLM_LOAD_PACKED, 0, 1},
    {"open", "how much of the file is opened", "all|vocabulary|metadata", FieldType::int32,
     offsetof(llm_model_options, open), LLM_OPEN_ALL, 0, 2},
    {"threads", "threads that load the weights; 0 = the machine's default", nullptr, FieldType::int32,
     offsetof(llm_model_options, threads), 0, 0, most_threads},
    {"max_memory", "most bytes that the weights may take; 0 = no limit", nullptr, FieldType::uint64,
     offsetof(llm_model_options, max_memory), 0, 0, most_bytes},
    {"verify", "1 = check that all weights are finite", nullptr, FieldType::int32, offsetof(llm_model_options, verify),
     0, 0, 1},
    {"lock", "1 = keep the weights in physical memory", nullptr, FieldType::int32, offsetof(llm_model_options, lock), 0,
     0, 1},
};

constexpr OptionField context_fields[] = {
    {"context_length", "tokens that a sequence can hold; 0 = the smaller of the trained length and 4096", nullptr,
     FieldType::int32, offsetof(llm_context_options, context_length), 0, 0, most_context},
    {"batch_size", "tokens computed at once; 0 = 512", nullptr, FieldType::int32,
     offsetof(llm_context_options, batch_size), 0, 0, 4096},
    {"threads", "threads that compute; 0 = the machine's default", nullptr, FieldType::int32,
     offsetof(llm_context_options, threads), 0, 0, most_threads},
    {"cache_type_k", "precision of cached keys", "q16|f16|f32|bf16|q8_0", FieldType::int32,
     offsetof(llm_context_options, cache_type_k), LLM_CACHE_Q16, 0, 4},
    {"cache_type_v", "precision of cached values", "q16|f16|f32|bf16|q8_0", FieldType::int32,
     offsetof(llm_context_options, cache_type_v), LLM_CACHE_Q16, 0, 4},
    {"max_sequences", "independent sequences", nullptr, FieldType::int32, offsetof(llm_context_options, max_sequences),
     1, 1, 1024},
    {"window_cache", "positions that layers with a sliding window keep: those of the window, or all", "ring|full",
     FieldType::int32, offsetof(llm_context_options, window_cache), LLM_WINDOW_CACHE_RING, 0, 1},
    {"max_memory", "most bytes of cache, scratch and logits; 0 = no limit", nullptr, FieldType::uint64,
     offsetof(llm_context_options, max_memory), 0, 0, most_bytes},
    {"idle_microseconds", "that helping threads stay ready for the next call; 0 = 1000, -1 = not at all", nullptr,
     FieldType::int32, offsetof(llm_context_options, idle_microseconds), 0, -1, 1e6},
};

constexpr OptionField sampler_fields[] = {
    {"temperature", "randomness; 0 = always the most probable token", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, temperature), 0.8f, 0, 1000},
    {"top_p", "keep the smallest set of tokens of that much probability; 1 = all", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, top_p), 0.95f, 0, 1},
    {"min_p", "drop tokens less probable than this times the best; 0 = none", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, min_p), 0.05f, 0, 1},
    {"top_k", "keep that many of the most probable tokens; 0 = all", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, top_k), 40, 0, most_int32},
    {"seed", "of the random numbers; 4294967295 = taken from the system", nullptr, FieldType::uint32,
     offsetof(llm_sampler_options, seed), LLM_SEED_RANDOM, 0, most_uint32},
    {"typical_p", "keep the tokens whose information is nearest to the expected, of that much probability; 1 = all",
     nullptr, FieldType::float32, offsetof(llm_sampler_options, typical_p), 1, 0, 1},
    {"top_n_sigma", "drop logits that many standard deviations below the best; 0 = none", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, top_n_sigma), 0, 0, 1000},
    {"xtc_probability", "how often to drop all probable tokens but the least of them; 0 = never", nullptr,
     FieldType::float32, offsetof(llm_sampler_options, xtc_probability), 0, 0, 1},
    {"xtc_threshold", "the probability from which on XTC drops tokens", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, xtc_threshold), 0.1f, 0, 1},
    {"dynatemp_range", "vary the temperature by so much with the entropy; 0 = not at all", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, dynatemp_range), 0, 0, 1000},
    {"dynatemp_exponent", "of the entropy, for the dynamic temperature", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, dynatemp_exponent), 1, 0, 1000},
    {"repeat_last_n", "tokens that the penalties look at; 0 = none, -1 = all", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, repeat_last_n), 64, -1, most_context},
    {"repeat_penalty", "weaken tokens that occurred, by this factor of their logit; 1 = not at all", nullptr,
     FieldType::float32, offsetof(llm_sampler_options, repeat_penalty), 1, least_factor, 1000},
    {"frequency_penalty", "subtract this from a logit each time that its token occurred", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, frequency_penalty), 0, -1000, 1000},
    {"presence_penalty", "subtract this from a logit when its token occurred at all", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, presence_penalty), 0, -1000, 1000},
    {"dry_multiplier", "penalty of a token that would prolong a repetition (DRY); 0 = none", nullptr,
     FieldType::float32, offsetof(llm_sampler_options, dry_multiplier), 0, 0, 1000},
    {"dry_base", "growth of DRY's penalty with each token of the repetition", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, dry_base), 1.75f, 1, 1000},
    {"dry_allowed_length", "longest repetition that DRY lets pass", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, dry_allowed_length), 2, 0, most_context},
    {"dry_penalty_last_n", "tokens that DRY looks at; 0 = none, -1 = all", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, dry_penalty_last_n), -1, -1, most_context},
    {"mirostat", "2 = instead of filters keep the surprise near a target; 0 = off", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, mirostat), 0, 0, 2},
    {"mirostat_tau", "mirostat's target, in bits", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, mirostat_tau), 5, 0, 1000},
    {"mirostat_eta", "how fast mirostat adapts", nullptr, FieldType::float32,
     offsetof(llm_sampler_options, mirostat_eta), 0.1f, 0, 1},
    {"min_keep", "least number of tokens that typical, top-p, min-p and XTC leave", nullptr, FieldType::int32,
     offsetof(llm_sampler_options, min_keep), 0, 0, most_int32},
};

constexpr OptionField generation_fields[] = {
    {"sequence", "that is continued", nullptr, FieldType::int32, offsetof(llm_generation_options, sequence), 0, 0,
     1023},
    {"max_tokens", "most tokens to generate; 0 = until the context is full", nullptr, FieldType::int32,
     offsetof(llm_generation_options, max_tokens), 0, 0, most_int32},
    {"logprobs", "give each token its log-probability, and those of that many best; 0 = none", nullptr,
     FieldType::int32, offsetof(llm_generation_options, logprobs), 0, 0, 1000},
    {"reuse_prefix", "1 = the prompt is the whole text; what the sequence has of it is not evaluated again", nullptr,
     FieldType::int32, offsetof(llm_generation_options, reuse_prefix), 0, 0, 1},
};

constexpr OptionField chat_fields[] = {
    {"utc_offset", "with a given time: seconds that local time is ahead of UTC", nullptr, FieldType::int32,
     offsetof(llm_chat_options, utc_offset), 0, -86400, 86400},
    {"guard", "1 = control tokens spelled in the conversation stay plain text", nullptr, FieldType::int32,
     offsetof(llm_chat_options, guard), 1, 0, 1},
    {"generation_tags",
     "tags by which trainers mark what the assistant says: 1 = read over, 0 = an error; -1 = an error "
     "only in a template that is given",
     nullptr, FieldType::int32, offsetof(llm_chat_options, generation_tags), LLM_CHAT_TAGS_AUTO, -1, 1},
};

double read_field(const void *options, const OptionField &field) {
    const auto *at = static_cast<const char *>(options) + field.offset;
    const auto read = [at]<class T>(T value) -> double {
        std::memcpy(&value, at, sizeof value);
        return static_cast<double>(value);
    };
    switch (field.type) {
        case FieldType::int32:
            return read(int32_t{});
        case FieldType::uint32:
            return read(uint32_t{});
        case FieldType::uint64:
            return read(uint64_t{});
        case FieldType::float32:
            return read(float{});
    }
    return 0.0;
}

void write_field(void *options, const OptionField &field, double value) {
    auto *at = static_cast<char *>(options) + field.offset;
    const auto write = [at](auto typed) { std::memcpy(at, &typed, sizeof typed); };
    switch (field.type) {
        case FieldType::int32:
            return write(static_cast<int32_t>(value));
        case FieldType::uint32:
            return write(static_cast<uint32_t>(value));
        case FieldType::uint64:
            return write(static_cast<uint64_t>(value));
        case FieldType::float32:
            return write(static_cast<float>(value));
    }
}

bool is_in_range(const OptionField &field, double value) {
    // The comparison is also false for NaN. A float's limit is compared as a float, as callers write it.
    return value >= field.minimum && value <= field.maximum;
}

bool is_of_type(const OptionField &field, double value) {
    return field.type == FieldType::float32 || value == std::floor(value);
}

void check_value(const OptionField &field, double value) {
    if (is_in_range(field, value)) return;
    fail(LLM_ERROR_ARGUMENT, "option '", field.name, "' is ", value, ", must be ", field.minimum, " to ",
         field.maximum);
}

const OptionField &find_field(llm_option_group group, std::string_view name) {
    for (const OptionField &field : option_fields(group))
        if (field.name == name) return field;
    fail(LLM_ERROR_NOT_FOUND, "there is no option ", quoted(name));
}

// The index of a word in "one|two|three".
std::optional<double> choice_index(std::string_view choices, std::string_view word) {
    for (double index = 0;; ++index) {
        const size_t bar = choices.find('|');
        if (choices.substr(0, bar) == word) return index;
        if (bar == std::string_view::npos) return std::nullopt;
        choices.remove_prefix(bar + 1);
    }
}

double parse_value(const OptionField &field, std::string_view text) {
    if (field.choices) {
        if (const auto index = choice_index(field.choices, text)) return *index;
        fail(LLM_ERROR_ARGUMENT, "option '", field.name, "' is ", quoted(text), ", must be one of ", field.choices);
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !is_of_type(field, value))
        fail(LLM_ERROR_ARGUMENT, "option '", field.name, "' is ", quoted(text), ", must be ",
             field.type == FieldType::float32 ? "a number" : "a whole number");
    return value;
}

}  // namespace

std::span<const OptionField> option_fields(llm_option_group group) {
    switch (group) {
        case LLM_OPTIONS_MODEL:
            return model_fields;
        case LLM_OPTIONS_CONTEXT:
            return context_fields;
        case LLM_OPTIONS_SAMPLER:
            return sampler_fields;
        case LLM_OPTIONS_GENERATION:
            return generation_fields;
        case LLM_OPTIONS_CHAT:
            return chat_fields;
        default:
            return {};
    }
}

void check_options(const void *options, llm_option_group group) {
    for (const OptionField &field : option_fields(group)) check_value(field, read_field(options, field));
}

void set_default_options(void *options, llm_option_group group) {
    for (const OptionField &field : option_fields(group)) write_field(options, field, field.default_value);
}

void set_option(void *options, llm_option_group group, const char *name, const char *value) {
    const OptionField &field = find_field(group, name);
    const double parsed = parse_value(field, value);
    check_value(field, parsed);
    write_field(options, field, parsed);
}

void set_option_if_valid(void *options, llm_option_group group, const char *name, double value) {
    const OptionField &field = find_field(group, name);
    if (is_in_range(field, value) && is_of_type(field, value)) write_field(options, field, value);
}

}  // namespace llm
