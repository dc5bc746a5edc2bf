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
    // From the end to the start, and then the other way round.
    std::vector<uint32_t> ends;
    for (size_t end = changed.size(); end > 0; end = start_of_last(steps, end)) {
        ends.push_back(static_cast<uint32_t>(end));
    }
    size_t begin = 0;
    for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        const llm_token token = steps[*end].token;
        if (token != unknown_character) {
            out.push_back(token);
        } else {
            vocabulary_.append_fallback(out, std::string_view(changed).substr(begin, *end - begin));
        }
        begin = *end;
    }
}

size_t UnigramEncoder::start_of_last(const std::vector<Step> &steps, size_t end) const {
    if (steps[end].token != unknown_character) return end - vocabulary_.piece(steps[end].token).size();
    // A character that is no token is one step.
    do --end;
    while (steps[end].token == inside_character);
    return end;
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
    std::vector<Step> steps(text.size() + 1, Step{0.0f, inside_character});
    steps[0].token = unknown_character;
    uint32_t state = TokenAutomaton::root;
    for (size_t end = 0; end < text.size();) {
        const size_t begin = end;
        const size_t length = decode_utf8(text.substr(begin)).length;
        for (; end < begin + length; ++end) state = pieces_.step(state, static_cast<uint8_t>(text[end]));
        steps[end] = best_step(steps, state, begin, end);
    }
    return steps;
}

// For the character from `begin` to `end`, after which the automaton is in `state`.
UnigramEncoder::Step UnigramEncoder::best_step(const std::vector<Step> &steps, uint32_t state, size_t begin,
                                               size_t end) const {
    Step best = {0.0f, inside_character};
    // Of equal sums the one with the longer last token stays. As in SentencePiece, the sum is a double when it is
    // compared and a float when it is kept, which decides between ways that differ by nothing but rounding.
    const auto offer = [&](llm_token token, double sum) {
        if (best.token != inside_character && sum <= double{best.score}) return;
        best = {static_cast<float>(sum), token};
    };
    bool has_character = false;
    for (uint32_t number = pieces_.first_match(state); number != TokenAutomaton::root;
         number = pieces_.next_match(number)) {
        const auto [token, size] = pieces_.match(number);
        const Step &before = steps[end - size];
        if (before.token == inside_character) continue;
        offer(token, before.score + double{vocabulary_.score(token)});
        has_character |= size == end - begin;
    }
    if (!has_character) offer(unknown_character, steps[begin].score + unknown_score_);
    return best;
}

}  // namespace llm
