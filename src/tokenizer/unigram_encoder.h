// Unigram ("t5"): of all ways to write the normalized text in pieces the one with the highest sum of scores.
#pragma once

#include "tokenizer/character_map.h"
#include "tokenizer/text_encoder.h"
#include "tokenizer/token_automaton.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

class UnigramEncoder final : public TextEncoder {
public:
    UnigramEncoder(const Vocabulary &vocabulary, std::span<const uint8_t> normalizer);

    void encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text, bool first) const override;

private:
    // The best way to write the text up to some place, by its last token.
    struct Step {
        float score;
        llm_token token;
    };
    static constexpr llm_token unknown_character = -1;
    static constexpr llm_token inside_character = -2;  // no token can end here

    std::string normalized(std::string_view text) const;
    std::vector<Step> best_steps(std::string_view text) const;
    Step best_step(const std::vector<Step> &steps, uint32_t state, size_t begin, size_t end) const;
    size_t start_of_last(const std::vector<Step> &steps, size_t end) const;

    const Vocabulary &vocabulary_;
    CharacterMap replacements_;
    TokenAutomaton pieces_;
    float unknown_score_;
};

}  // namespace llm
