#include "tokenizer/tokenizer.h"

#include "base/error.h"
#include "tokenizer/byte_pair_encoder.h"
#include "tokenizer/character_encoder.h"
#include "tokenizer/strip_rules.h"
#include "tokenizer/text_decoder.h"
#include "tokenizer/unigram_encoder.h"
#include "tokenizer/word_piece_encoder.h"

#include <limits>

namespace llm {

namespace {

constexpr size_t longest_text = std::numeric_limits<int32_t>::max();

constexpr std::string_view option_hint = "; the option pre_tokenizer names one explicitly";

VocabularyFlags default_flags(TokenizerKind kind, const PreTokenizer *pre_tokenizer) {
    VocabularyFlags flags;
    switch (kind) {
        case TokenizerKind::byte_pairs:
        case TokenizerKind::character_pairs:
            flags.add_begin = pre_tokenizer->has(PreTokenizer::add_begin);
            flags.add_separator = pre_tokenizer->has(PreTokenizer::add_separator);
            break;
        case TokenizerKind::sentence_pieces:
            flags.add_begin = true;
            flags.add_space_prefix = true;
            break;
        case TokenizerKind::word_pieces:
            flags.add_begin = true;
            flags.add_end = true;
            flags.add_separator = true;
            flags.lowercase = true;
            break;
        case TokenizerKind::unigrams:
            flags.add_end = true;
            flags.add_space_prefix = true;
            break;
    }
    return flags;
}

std::unique_ptr<TextEncoder> make_encoder(const Vocabulary &vocabulary, const VocabularyData &data,
                                          const PreTokenizer *pre_tokenizer) {
    switch (vocabulary.kind()) {
        case TokenizerKind::byte_pairs:
            return std::make_unique<BytePairEncoder>(vocabulary, *pre_tokenizer, data.merges);
        case TokenizerKind::character_pairs:
            return std::make_unique<CharacterPairEncoder>(vocabulary, *pre_tokenizer, data.merges);
        case TokenizerKind::sentence_pieces:
            return std::make_unique<SentencePieceEncoder>(vocabulary);
        case TokenizerKind::word_pieces:
            return std::make_unique<WordPieceEncoder>(vocabulary);
        case TokenizerKind::unigrams:
            return std::make_unique<UnigramEncoder>(vocabulary, data.normalizer);
    }
    fail(LLM_ERROR_INTERNAL, "no encoder for this kind of tokenizer");
}

SpecialMatcher make_matcher(const Vocabulary &vocabulary, uint32_t attributes) {
    std::vector<TokenAutomaton::Entry> entries;
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        if (vocabulary.has(token, attributes)) entries.push_back({vocabulary.text(token), token});
    }
    return SpecialMatcher(entries);
}

void check_length(std::string_view text) {
    if (text.size() > longest_text) {
        fail(LLM_ERROR_LIMIT, "the text has ", text.size(), " bytes, at most ", longest_text,
             " can be tokenized at once");
    }
}

constexpr std::string_view white_space = " \t\n\v\f\r";

void strip_end(std::string_view &text) { text = text.substr(0, text.find_last_not_of(white_space) + 1); }

size_t skip_white_space(std::string_view text, size_t position) {
    return std::min(text.find_first_not_of(white_space, position), text.size());
}

}  // namespace

Tokenizer::Choice Tokenizer::choose(std::string_view model, std::string_view pre_tokenizer) {
    if (model.empty()) fail(LLM_ERROR_UNSUPPORTED, "tokenizer.ggml.model is missing or empty");
    const std::optional<TokenizerKind> kind = tokenizer_kind(model, pre_tokenizer);
    if (!kind && !needs_pre_tokenizer(model)) {
        fail(LLM_ERROR_UNSUPPORTED, "tokenizer.ggml.model is ", quoted(model), ", which this build does not have");
    }
    if (!kind && pre_tokenizer.empty()) {
        fail(LLM_ERROR_UNSUPPORTED, "tokenizer.ggml.pre is missing or empty", option_hint);
    }
    if (!kind) {
        fail(LLM_ERROR_UNSUPPORTED, "tokenizer.ggml.pre is ", quoted(pre_tokenizer), ", which is not one of the ",
             pre_tokenizers().size(), " pre-tokenizers of this build", option_hint);
    }
    const PreTokenizer *chosen = find_pre_tokenizer(pre_tokenizer);
    // The model's name says enough of the kind; what the file says beside it may be nothing, or "default".
    const bool by_model = *kind == TokenizerKind::character_pairs && !needs_pre_tokenizer(model);
    if (by_model && (chosen == nullptr || !chosen->has(PreTokenizer::characters))) chosen = find_pre_tokenizer(model);
    return {*kind, chosen};
}

bool Tokenizer::supports_model(std::string_view model) { return needs_pre_tokenizer(model) || supports(model, {}); }

bool Tokenizer::supports(std::string_view model, std::string_view pre_tokenizer) {
    return tokenizer_kind(model, pre_tokenizer).has_value();
}

Tokenizer::Tokenizer(const VocabularyData &data) : Tokenizer(data, choose(data.model, data.pre_tokenizer)) {}

Tokenizer::Tokenizer(const VocabularyData &data, Choice choice)
    : vocabulary_(data, choice.kind, default_flags(choice.kind, choice.pre_tokenizer)),
      encoder_(make_encoder(vocabulary_, data, choice.pre_tokenizer)),
      user_defined_(make_matcher(vocabulary_, LLM_TOKEN_USER_DEFINED)),
      all_special_(make_matcher(vocabulary_, LLM_TOKEN_USER_DEFINED | LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN)),
      strip_(strip_rules(data, vocabulary_)) {}

Tokenizer::~Tokenizer() = default;

std::vector<llm_token> Tokenizer::tokenize(std::string_view text, bool add_special, bool parse_special) const {
    check_length(text);
    const VocabularyFlags &flags = vocabulary_.flags();
    std::vector<llm_token> out;
    out.reserve(text.size() / 4 + 8);
    if (add_special && flags.add_begin) out.push_back(vocabulary_.special(SpecialToken::begin));
    append_body(out, text, parse_special);
    if (add_special && flags.add_begin && out.size() > 1 && out[0] == out[1]) out.erase(out.begin());
    if (add_special && flags.add_end) {
        const bool word_pieces = vocabulary_.kind() == TokenizerKind::word_pieces;
        const llm_token end = vocabulary_.special(word_pieces ? SpecialToken::separator : SpecialToken::end);
        if (out.empty() || out.back() != end) out.push_back(end);
    }
    return out;
}

// Special tokens become their ids; append_plain() is called for what is between them.
template <class AppendPlain>
void Tokenizer::append_parts(std::vector<llm_token> &out, std::string_view text, const SpecialMatcher &matcher,
                             AppendPlain &&append_plain) const {
    const auto strips = [&](llm_token token, uint8_t side) { return !strip_.empty() && (strip_[token] & side) != 0; };
    size_t position = 0;
    for (const SpecialMatcher::Match &match : matcher.find(text)) {
        if (match.begin < position) continue;  // in white space that was stripped
        std::string_view before = text.substr(position, match.begin - position);
        if (strips(match.token, strip_left)) strip_end(before);
        if (!before.empty()) append_plain(before);
        out.push_back(match.token);
        position = strips(match.token, strip_right) ? skip_white_space(text, match.end) : match.end;
    }
    if (position < text.size()) append_plain(text.substr(position));
}

void Tokenizer::append_body(std::vector<llm_token> &out, std::string_view text, bool parse_special) const {
    EncodeScratch scratch(text);
    append_parts(out, text, parse_special ? all_special_ : user_defined_,
                 [&](std::string_view part) { encoder_->encode(out, scratch, part, true); });
}

std::vector<llm_token> Tokenizer::tokenize_guarded(std::string_view text, const Restore &restore) const {
    check_length(text);
    std::vector<llm_token> out;
    append_parts(out, text, all_special_, [&](std::string_view part) { append_body(out, restore(part), false); });
    return out;
}

std::string Tokenizer::detokenize(std::span<const llm_token> tokens, bool special) const {
    std::string out;
    TextDecoder decoder(vocabulary_, special);
    for (const llm_token token : tokens) decoder.append(out, token);
    return out;
}

void Tokenizer::append_piece(std::string &out, llm_token token, bool special) const {
    TextDecoder(vocabulary_, special, TextDecoder::inside_text).append(out, token);
}

TokenInfo Tokenizer::info(llm_token token) const {
    return {vocabulary_.text(token), vocabulary_.score(token), vocabulary_.attributes(token)};
}

llm_token Tokenizer::special(llm_special which) const {
    if (which < LLM_SPECIAL_BEGIN || which > LLM_SPECIAL_SEPARATOR) return LLM_TOKEN_NONE;
    return vocabulary_.special(static_cast<SpecialToken>(which));
}

}  // namespace llm
