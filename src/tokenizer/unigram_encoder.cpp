// Kudo, "Subword Regularization" (2018); normalization and penalties as SentencePiece has them.
#include "tokenizer/unigram_encoder.h"

#include "base/utf8.h"
#include "tokenizer/written_space.h"

#include <algorithm>
#include <limits>

namespace llm {

namespace {

// An unknown character costs that much more than the least probable token.
constexpr float unknown_penalty = 10.0f;

TokenAutomaton make_automaton(const Vocabulary &vocabulary) {
    std::vector<TokenAutomaton::Entry> entries;
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        const bool usable = vocabulary.comes_from_text(token) && !vocabulary.has(token, LLM_TOKEN_UNUSED);
        if (usable) entries.push_back({vocabulary.piece(token), token});
    }
    return TokenAutomaton(entries, TokenAutomaton::Direction::forward);
}

float least_score(const Vocabulary &vocabulary) {
    float least = std::numeric_limits<float>::max();
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        if (vocabulary.attributes(token) == LLM_TOKEN_NORMAL) least = std::min(least, vocabulary.score(token));
    }
    return least;
}

}  // namespace

UnigramEncoder::UnigramEncoder(const Vocabulary &vocabulary, std::span<const uint8_t> normalizer)
    : vocabulary_(vocabulary),
      replacements_(normalizer),
      pieces_(make_automaton(vocabulary)),
      unknown_score_(least_score(vocabulary) - unknown_penalty) {}

void UnigramEncoder::encode(std::vector<llm_token> &out, EncodeScratch & /*scratch*/, std::string_view text,
                            bool /*first*/) const {
    const std::string changed = normalized(text);
    const std::vector<Step> steps = best_steps(changed);
    // From the end to the start, and then reversed.
    std::vector<uint32_t> ends;
    for (auto end = static_cast<uint32_t>(changed.size()); end > 0; end -= steps[end].length) ends.push_back(end);
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        const Step &step = steps[*end];
        if (step.token != LLM_TOKEN_NONE) {
            out.push_back(step.token);
        } else {
            vocabulary_.append_fallback(out, std::string_view(changed).substr(*end - step.length, step.length));
        }
    }
}

std::string UnigramEncoder::normalized(std::string_view text) const {
    const VocabularyFlags &flags = vocabulary_.flags();
    // Takes the first character or longest sequence with a replacement off `text`, and gives what stands for it.
    const auto take = [&]() -> std::string_view {
        const CharacterMap::Replacement replacement = replacements_.find(text);
        const Utf8Character character = decode_utf8(text);
        std::string_view taken = replacement_character_utf8;  // of each byte that is ill-formed
        size_t length = 1;
        if (replacement.length > 0) {
            taken = replacement.text;
            length = replacement.length;
        } else if (character.well_formed) {
            length = character.length;
            taken = text.substr(0, length);
        }
        text.remove_prefix(length);
        return taken;
    };

    std::string out;
    out.reserve(text.size() + 1);
    std::string_view taken;
    // White space in front; what may follow it is taken already when this ends.
    do {
        if (text.empty()) return out;
        taken = take();
    } while (flags.remove_extra_whitespace && taken == " ");
    if (flags.add_space_prefix) out.push_back(' ');
    bool after_space = flags.remove_extra_whitespace;
    for (;;) {
        if (after_space) taken.remove_prefix(std::min(taken.find_first_not_of(' '), taken.size()));
        if (!taken.empty()) {
            append_with_spaces(out, taken);
            after_space = flags.remove_extra_whitespace && taken.back() == ' ';
        }
        if (text.empty()) break;
        taken = take();
    }
    if (flags.remove_extra_whitespace) out.resize(out.find_last_not_of(' ') + 1);
    return out;
}

std::vector<UnigramEncoder::Step> UnigramEncoder::best_steps(std::string_view text) const {
    std::vector<Step> steps(text.size() + 1, Step{0.0f, LLM_TOKEN_NONE, 0});
    uint32_t state = TokenAutomaton::root;
    size_t end = 0;
    while (end < text.size()) {
        const size_t begin = end;
        const size_t length = decode_utf8(text.substr(begin)).length;
        for (; end < begin + length; ++end) state = pieces_.step(state, static_cast<uint8_t>(text[end]));

        Step best = {0.0f, LLM_TOKEN_NONE, 0};
        // Of equal sums the one with the longer last token stays. As in SentencePiece, the sum is a double when it is
        // compared and a float when it is kept, which decides between ways that differ by nothing but rounding.
        const auto offer = [&](llm_token token, double sum, size_t size) {
            if (best.length > 0 && sum <= double{best.score}) return;
            best = {static_cast<float>(sum), token, static_cast<uint32_t>(size)};
        };
        bool has_character = false;
        for (uint32_t number = pieces_.first_match(state); number != TokenAutomaton::root;
             number = pieces_.next_match(number)) {
            const auto [token, size] = pieces_.match(number);
            const Step &before = steps[end - size];
            if (end > size && before.length == 0) continue;  // it would begin inside a character
            offer(token, before.score + double{vocabulary_.score(token)}, size);
            has_character |= size == length;
        }
        if (!has_character) offer(LLM_TOKEN_NONE, steps[begin].score + unknown_score_, length);
        steps[end] = best;
    }
    return steps;
}

}  // namespace llm
