// What a file says about its tokenizer, before anything of it is checked. The texts belong to the file.
#pragma once

#include <llm/llm.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

// Token types as files number them. Other numbers count as normal.
enum class TokenType : uint8_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

// Special tokens that a file can name. The first six are those of llm_special, in its order.
enum class SpecialToken : uint8_t {
    begin,
    end,
    end_of_turn,
    unknown,
    padding,
    separator,
    end_of_message,
    classification,
    mask,
    fill_prefix,  // of fill-in-the-middle prompts, as all that follow
    fill_suffix,
    fill_middle,
    fill_padding,  // these three end a generation
    fill_repository,
    fill_separator,
};
inline constexpr size_t special_token_count = 15;

struct VocabularyData {
    std::string_view model;          // tokenizer.ggml.model
    std::string_view pre_tokenizer;  // tokenizer.ggml.pre; empty when missing
    std::string_view name;           // general.name and general.architecture: some rules are known only by them
    std::string_view architecture;

    std::vector<std::string_view> tokens;
    std::vector<float> scores;   // empty, or one for each token
    std::vector<int64_t> types;  // empty, or one for each token
    std::vector<std::string_view> merges;

    std::array<std::optional<int64_t>, special_token_count> special = {};  // -1: the file says that there is none
    std::vector<int64_t> further_ends;                                     // more ids that end a generation

    // Where the file says nothing, the kind of tokenizer decides.
    std::optional<bool> add_begin, add_end, add_separator, add_space_prefix, remove_extra_whitespace, lowercase,
        strip_accents;
    std::span<const uint8_t> normalizer;  // tokenizer.ggml.precompiled_charsmap
};

// The key by which a file names a special token, e.g. "tokenizer.ggml.bos_token_id".
std::string_view special_token_key(SpecialToken which);

}  // namespace llm
