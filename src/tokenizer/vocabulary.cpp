#include "tokenizer/vocabulary.h"

#include "base/error.h"
#include "base/log.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/pre_tokenizer_table.h"
#include "tokenizer/well_known_tokens.h"
#include "tokenizer/written_space.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace llm {

namespace {

int hexadecimal_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

// The byte of "<0x41>": exactly two digits. -1 for everything else.
int spelled_byte(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
    const int high = hexadecimal_digit(text[3]);
    const int low = hexadecimal_digit(text[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool is_known_type(int64_t type) {
    return type >= static_cast<int64_t>(TokenType::normal) && type <= static_cast<int64_t>(TokenType::byte);
}

uint8_t attributes_of_type(int64_t type) {
    switch (type) {
        case static_cast<int64_t>(TokenType::unknown):
            return LLM_TOKEN_UNKNOWN;
        case static_cast<int64_t>(TokenType::control):
            return LLM_TOKEN_CONTROL;
        case static_cast<int64_t>(TokenType::user_defined):
            return LLM_TOKEN_USER_DEFINED;
        case static_cast<int64_t>(TokenType::unused):
            return LLM_TOKEN_UNUSED;
        case static_cast<int64_t>(TokenType::byte):
            return LLM_TOKEN_BYTE;
        default:
            return LLM_TOKEN_NORMAL;
    }
}

}  // namespace

bool needs_pre_tokenizer(std::string_view model) { return model == "gpt2"; }

std::optional<TokenizerKind> tokenizer_kind(std::string_view model, std::string_view pre_tokenizer) {
    if (needs_pre_tokenizer(model)) {
        const PreTokenizer *found = find_pre_tokenizer(pre_tokenizer);
        if (found == nullptr) return std::nullopt;
        return found->has(PreTokenizer::characters) ? TokenizerKind::character_pairs : TokenizerKind::byte_pairs;
    }
    if (model == "gemma4") return TokenizerKind::character_pairs;
    if (model == "llama") return TokenizerKind::sentence_pieces;
    if (model == "bert") return TokenizerKind::word_pieces;
    if (model == "t5") return TokenizerKind::unigrams;
    return std::nullopt;
}

std::string_view special_token_key(SpecialToken which) {
    constexpr std::string_view keys[special_token_count] = {
        "tokenizer.ggml.bos_token_id",        // begin
        "tokenizer.ggml.eos_token_id",        // end
        "tokenizer.ggml.eot_token_id",        // end_of_turn
        "tokenizer.ggml.unknown_token_id",    // unknown
        "tokenizer.ggml.padding_token_id",    // padding
        "tokenizer.ggml.seperator_token_id",  // separator; the format spells it so
        "tokenizer.ggml.eom_token_id",        // end_of_message
        "tokenizer.ggml.cls_token_id",        // classification
        "tokenizer.ggml.mask_token_id",       // mask
        "tokenizer.ggml.fim_pre_token_id",    // fill_prefix
        "tokenizer.ggml.fim_suf_token_id",    // fill_suffix
        "tokenizer.ggml.fim_mid_token_id",    // fill_middle
        "tokenizer.ggml.fim_pad_token_id",    // fill_padding
        "tokenizer.ggml.fim_rep_token_id",    // fill_repository
        "tokenizer.ggml.fim_sep_token_id",    // fill_separator
    };
    return keys[static_cast<size_t>(which)];
}

Vocabulary::Vocabulary(const VocabularyData &data, TokenizerKind kind, const VocabularyFlags &defaults)
    : kind_(kind), flags_(defaults), piece_ids_(pieces_) {
    special_.fill(LLM_TOKEN_NONE);
    byte_tokens_.fill(LLM_TOKEN_NONE);
    add_tokens(data);
    add_scores(data);
    add_special(data);
    add_well_known();
    add_lookups();
}

void Vocabulary::add_tokens(const VocabularyData &data) {
    constexpr size_t most_tokens = std::numeric_limits<llm_token>::max();
    const size_t count = data.tokens.size();
    if (count == 0) fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.tokens is empty");
    if (count > most_tokens) {
        fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.tokens has ", count, " tokens, at most ", most_tokens);
    }
    if (!data.types.empty() && data.types.size() != count) {
        fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.token_type has ", data.types.size(), " elements for ", count,
             " tokens");
    }
    size_t bytes = 0, unknown_types = 0;
    for (const std::string_view token : data.tokens) bytes += token.size();
    texts_.reserve(count, bytes);
    attributes_.reserve(count);
    for (size_t index = 0; index < count; ++index) {
        const std::string_view token = data.tokens[index];
        uint8_t attributes = data.types.empty() ? LLM_TOKEN_NORMAL : attributes_of_type(data.types[index]);
        if (data.types.empty() && kind_ != TokenizerKind::byte_pairs && spelled_byte(token) >= 0) {
            attributes = LLM_TOKEN_BYTE;
        }
        if (!data.types.empty() && !is_known_type(data.types[index])) ++unknown_types;
        // A byte token that spells no byte is only text.
        if (attributes == LLM_TOKEN_BYTE && spelled_byte(token) < 0) attributes = LLM_TOKEN_NORMAL;
        texts_.push_back(token);
        attributes_.push_back(attributes);
    }
    if (unknown_types > 0) {
        log(LLM_LOG_WARNING, "tokenizer.ggml.token_type has ", unknown_types,
            " elements of no known type; their tokens count as normal ones");
    }
}

void Vocabulary::add_scores(const VocabularyData &data) {
    if (data.scores.empty()) {
        if (kind_ != TokenizerKind::sentence_pieces && kind_ != TokenizerKind::unigrams) return;
        fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.scores is missing; a tokenizer of model ", quoted(data.model),
             " needs one for each of its ", size(), " tokens");
    }
    if (data.scores.size() != size()) {
        fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.scores has ", data.scores.size(), " elements for ", size(),
             " tokens");
    }
    for (size_t index = 0; index < data.scores.size(); ++index) {
        if (std::isnan(data.scores[index]))
            fail(LLM_ERROR_VOCABULARY, "tokenizer.ggml.scores[", index, "] is not a number");
    }
    scores_ = data.scores;
}

void Vocabulary::add_special(const VocabularyData &data) {
    const auto checked = [&](std::string_view key, int64_t id) {
        if (id == LLM_TOKEN_NONE) return LLM_TOKEN_NONE;
        if (id < 0 || id >= size()) {
            fail(LLM_ERROR_VOCABULARY, key, " is ", id, ", the vocabulary has the ids 0 to ", size() - 1);
        }
        return static_cast<llm_token>(id);
    };
    for (size_t which = 0; which < special_token_count; ++which) {
        if (data.special[which]) {
            special_[which] = checked(special_token_key(static_cast<SpecialToken>(which)), *data.special[which]);
        }
    }
    for (const int64_t id : data.further_ends) {
        const llm_token token = checked("tokenizer.ggml.eos_token_ids", id);
        if (token != LLM_TOKEN_NONE) attributes_[token] |= LLM_TOKEN_ENDS_GENERATION;
    }

    if (kind_ == TokenizerKind::word_pieces) add_word_piece_special();
    names_end_of_turn_ = special(SpecialToken::end_of_turn) != LLM_TOKEN_NONE;
    mark_special(data.types.empty());

    const auto decide = [&](bool &flag, std::optional<bool> said, std::string_view key, SpecialToken which) {
        if (said) flag = *said;
        if (!flag || special(which) != LLM_TOKEN_NONE) return;
        if (said) fail(LLM_ERROR_VOCABULARY, key, " is true, but ", special_token_key(which), " is missing");
        flag = false;
    };
    decide(flags_.add_begin, data.add_begin, "tokenizer.ggml.add_bos_token", SpecialToken::begin);
    const bool ends_with_separator = kind_ == TokenizerKind::word_pieces;
    decide(flags_.add_end, data.add_end, "tokenizer.ggml.add_eos_token",
           ends_with_separator ? SpecialToken::separator : SpecialToken::end);
    decide(flags_.add_separator, data.add_separator, "tokenizer.ggml.add_sep_token", SpecialToken::separator);
    const bool may_add_space = kind_ == TokenizerKind::sentence_pieces || kind_ == TokenizerKind::unigrams;
    flags_.add_space_prefix = may_add_space && data.add_space_prefix.value_or(flags_.add_space_prefix);
    flags_.remove_extra_whitespace = data.remove_extra_whitespace.value_or(flags_.remove_extra_whitespace);
    flags_.lowercase = data.lowercase.value_or(flags_.lowercase);
    flags_.strip_accents = data.strip_accents.value_or(flags_.lowercase);
}

// The names that BERT gave them are the same in all files of the kind, and old files do not list them.
void Vocabulary::add_word_piece_special() {
    constexpr std::pair<SpecialToken, std::string_view> defaults[] = {{SpecialToken::classification, "[CLS]"},
                                                                      {SpecialToken::separator, "[SEP]"},
                                                                      {SpecialToken::unknown, "[UNK]"},
                                                                      {SpecialToken::padding, "[PAD]"}};
    for (const auto &[which, spelling] : defaults) {
        llm_token &id = special_[static_cast<size_t>(which)];
        for (llm_token token = 0; id == LLM_TOKEN_NONE && token < static_cast<llm_token>(size()); ++token) {
            if (text(token) == spelling) id = token;
        }
    }
    llm_token &begin = special_[static_cast<size_t>(SpecialToken::begin)];
    if (begin == LLM_TOKEN_NONE) begin = special(SpecialToken::classification);
}

// `types_missing`: the file does not say which tokens are control tokens, but the special ones must be.
void Vocabulary::mark_special(bool types_missing) {
    for (size_t index = 0; index < special_token_count; ++index) {
        const auto which = static_cast<SpecialToken>(index);
        const llm_token token = special_[index];
        if (token == LLM_TOKEN_NONE) continue;
        if (types_missing && !has(token, LLM_TOKEN_CONTROL)) {
            attributes_[token] = which == SpecialToken::unknown ? LLM_TOKEN_UNKNOWN : LLM_TOKEN_CONTROL;
        }
        const bool ends = which == SpecialToken::end || which == SpecialToken::end_of_turn ||
                          which == SpecialToken::end_of_message || which >= SpecialToken::fill_padding;
        if (ends) attributes_[token] |= LLM_TOKEN_ENDS_GENERATION;
    }
}

void Vocabulary::add_well_known() {
    const std::span<const WellKnownToken> known = well_known_tokens();
    StringTable spellings;
    TokenMap numbers(spellings);
    for (const WellKnownToken &entry : known) {
        spellings.push_back(entry.text);
        numbers.insert(static_cast<llm_token>(spellings.size() - 1));
    }
    std::vector<std::pair<llm_token, size_t>> found;
    bool has_tool_calls = false;
    for (llm_token token = 0; token < static_cast<llm_token>(size()); ++token) {
        const llm_token number = numbers.find(text(token));
        if (number == LLM_TOKEN_NONE) continue;
        found.emplace_back(token, number);
        has_tool_calls |= text(token) == "<|tool_response>";
    }
    size_t best = known.size();
    for (const auto &[token, number] : found) {
        // Where calls of tools end with a token of their own, this one is an HTML tag and nothing more.
        if (has_tool_calls && text(token) == "</s>") continue;
        const bool ends = known[number].meaning != WellKnownMeaning::steers || has(token, LLM_TOKEN_ENDS_GENERATION);
        attributes_[token] = LLM_TOKEN_CONTROL | (ends ? LLM_TOKEN_ENDS_GENERATION : 0u);
        if (known[number].meaning != WellKnownMeaning::ends_turn || number >= best) continue;
        best = number;
        if (!names_end_of_turn_) special_[static_cast<size_t>(SpecialToken::end_of_turn)] = token;
    }
}

void Vocabulary::add_lookups() {
    std::string piece;
    pieces_.reserve(size(), 0);
    piece_ids_.reserve(size());
    for (llm_token token = 0; token < static_cast<llm_token>(size()); ++token) {
        piece.clear();
        append_piece(piece, token);
        pieces_.push_back(piece);
        if (!piece.empty() && comes_from_text(token)) piece_ids_.insert(token);
    }
    for (int byte = 0; byte < 256 && kind_ == TokenizerKind::byte_pairs; ++byte) {
        const char character = static_cast<char>(byte);
        byte_tokens_[byte] = find_piece({&character, 1});
    }
    if (kind_ == TokenizerKind::byte_pairs) return;
    // Tokens that are marked as bytes count before those that only look so.
    for (const bool marked : {true, false}) {
        for (llm_token token = 0; token < static_cast<llm_token>(size()); ++token) {
            const int byte = spelled_byte(text(token));
            if (byte < 0 || has(token, LLM_TOKEN_BYTE) != marked || has(token, LLM_TOKEN_CONTROL)) continue;
            if (byte_tokens_[byte] == LLM_TOKEN_NONE) byte_tokens_[byte] = token;
        }
    }
}

bool Vocabulary::comes_from_text(llm_token token) const {
    // Where spaces are written as U+2581, what is spelled with a real one can only be found in the text as it is.
    if (kind_ != TokenizerKind::byte_pairs && text(token).find(' ') != std::string_view::npos) return false;
    const bool pairs = kind_ == TokenizerKind::byte_pairs || kind_ == TokenizerKind::character_pairs;
    // Merges are of what is left between the user-defined tokens.
    const uint32_t matched_before = pairs ? LLM_TOKEN_USER_DEFINED : 0u;
    return !has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN | LLM_TOKEN_BYTE | matched_before);
}

void Vocabulary::append_piece(std::string &out, llm_token token) const {
    const bool is_raw_text = has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN) ||
                             (has(token, LLM_TOKEN_USER_DEFINED) && kind_ == TokenizerKind::byte_pairs);
    if (is_raw_text) {
        out.append(text(token));
    } else if (has(token, LLM_TOKEN_BYTE)) {
        out.push_back(static_cast<char>(spelled_byte(text(token))));
    } else {
        append_spelled(out, text(token));
    }
}

void Vocabulary::append_spelled(std::string &out, std::string_view spelling) const {
    if (kind_ == TokenizerKind::byte_pairs) {
        append_byte_alphabet_decoded(out, spelling);
    } else {
        append_with_spaces(out, spelling);
    }
}

void Vocabulary::append_fallback(std::vector<llm_token> &out, std::string_view character) const {
    const auto token_of = [&](char byte) { return byte_token(static_cast<uint8_t>(byte)); };
    if (std::ranges::all_of(character, [&](char byte) { return token_of(byte) != LLM_TOKEN_NONE; })) {
        std::ranges::transform(character, std::back_inserter(out), token_of);
        return;
    }
    const llm_token unknown = unknown_in_text();
    if (unknown == LLM_TOKEN_NONE) {
        fail(LLM_ERROR_VOCABULARY, "the vocabulary has no token for ", quoted(character), " and none for unknown text");
    }
    if (out.empty() || out.back() != unknown) out.push_back(unknown);
}

llm_token Vocabulary::unknown_in_text() const {
    const llm_token unknown = special(SpecialToken::unknown);
    if (unknown == LLM_TOKEN_NONE || has(unknown, LLM_TOKEN_CONTROL | LLM_TOKEN_ENDS_GENERATION)) return LLM_TOKEN_NONE;
    return unknown;
}

}  // namespace llm
