// The pre-tokenizers that files name in tokenizer.ggml.pre: how a text is cut into pieces before merging.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace llm {

// One cut. It applies to each piece that earlier cuts left: what it matches becomes a piece of its own, and so does
// what lies between two matches.
struct PreTokenizerStep {
    enum class Kind : uint8_t {
        pattern,
        // Runs of decimal digits in groups of three, counted from their end. Written by hand because as a pattern,
        // which looks ahead to the end of the run from each place, it takes quadratic time.
        digit_groups,          // (?=(\d{3})+(?!\d)): cut in front of each group but an incomplete first one
        digit_groups_of_words  // \d{1,3}(?=(?:\d{3})*\b): each group is a piece; runs that a letter follows are not cut
    };
    std::string_view pattern;  // as the models' makers write it; see Regex for the dialect
    Kind kind = Kind::pattern;
};

struct PreTokenizer {
    enum Flag : uint8_t {
        whole_word_first = 1,  // a piece that is a token becomes that token before any merge is tried
        add_begin = 2,         // unless the file says otherwise
        add_separator = 4,
        characters = 8,  // spaces are written U+2581, and merges are of characters, not of the byte alphabet
    };

    std::string_view name;
    std::span<const PreTokenizerStep> steps;
    uint8_t flags = 0;

    bool has(Flag flag) const { return (flags & flag) != 0; }
};

// nullptr when no pre-tokenizer has that name.
const PreTokenizer *find_pre_tokenizer(std::string_view name);

std::span<const PreTokenizer> pre_tokenizers();

}  // namespace llm
