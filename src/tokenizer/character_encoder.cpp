#include "tokenizer/character_encoder.h"

#include "base/utf8.h"
#include "tokenizer/written_space.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace llm {

namespace {

// Ranks of scores: the higher the score, the lower the rank; equal scores (0 and -0 too) have equal ranks.
uint32_t rank_of(float score) {
    const auto bits = std::bit_cast<uint32_t>(score + 0.0f);
    const bool negative = (bits & 0x80000000u) != 0;
    return negative ? bits : ~(bits | 0x80000000u);
}

}  // namespace

void CharacterEncoder::append_text(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                                   bool space_prefix) const {
    std::string &changed = scratch.changed_text;
    size_t begin = changed.size();
    changed.reserve(begin + text.size() + 1);
    if (space_prefix) changed.push_back(' ');
    append_with_spaces(changed, text);
    if (begin == changed.size()) return;

    Utf8Character left = decode_utf8(std::string_view(changed).substr(begin));
    for (size_t end = begin + left.length; end < changed.size();) {
        const Utf8Character right = decode_utf8(std::string_view(changed).substr(end));
        if (!filter_.may_join(left.code_point, right.code_point)) {
            append_segment(out, scratch, std::string_view(changed).substr(begin, end - begin));
            begin = end;
        }
        left = right;
        end += right.length;
    }
    append_segment(out, scratch, std::string_view(changed).substr(begin));
}

void CharacterEncoder::append_segment(std::vector<llm_token> &out, EncodeScratch &scratch,
                                      std::string_view segment) const {
    const char *base = scratch.changed_text.data();
    const llm_token unknown = vocabulary_.special(SpecialToken::unknown);
    const bool after_unknown = unknown != LLM_TOKEN_NONE && !out.empty() && out.back() == unknown;
    const size_t first_token = out.size();
    if (scratch.cache.append(out, base, segment)) {
        if (after_unknown && out[first_token] == unknown) out.erase(out.begin() + static_cast<ptrdiff_t>(first_token));
        return;
    }
    append_merged(out, *this, segment);
    // After an unknown token the first one may be missing, which must not be repeated elsewhere.
    if (!after_unknown) scratch.cache.remember(out, base, segment, first_token);
}

MergeModel::Symbol CharacterEncoder::first_symbol(std::string_view text) const {
    const uint8_t length = decode_utf8(text).length;
    return {vocabulary_.find_piece(text.substr(0, length)), length};
}

void CharacterEncoder::append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const {
    if (token != LLM_TOKEN_NONE) {
        out.push_back(token);
    } else {
        vocabulary_.append_fallback(out, text);
    }
}

SentencePieceEncoder::SentencePieceEncoder(const Vocabulary &vocabulary) : CharacterEncoder(vocabulary) {
    std::vector<llm_token> unused;
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        const bool merged = vocabulary.has(token, LLM_TOKEN_UNUSED) && !vocabulary.piece(token).empty();
        if (merged) unused.push_back(token);
    }
    // The shorter ones first: they may be parts of longer ones.
    std::ranges::stable_sort(unused, {}, [&](llm_token token) { return vocabulary.piece(token).size(); });
    for (const llm_token token : unused) {
        kept_apart_ = token;
        std::vector<llm_token> parts;
        if (first_symbol(vocabulary.piece(token)).token != token) append_merged(parts, *this, vocabulary.piece(token));
        if (!parts.empty()) parts_of_unused_.emplace(token, std::move(parts));
    }
    kept_apart_ = LLM_TOKEN_NONE;
}

void SentencePieceEncoder::append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const {
    const auto parts = parts_of_unused_.find(token);
    if (parts == parts_of_unused_.end()) {
        CharacterEncoder::append_tokens(out, token, text);
    } else {
        out.insert(out.end(), parts->second.begin(), parts->second.end());
    }
}

void SentencePieceEncoder::encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                                  bool first) const {
    append_text(out, scratch, text, first && vocabulary_.flags().add_space_prefix);
}

Merge SentencePieceEncoder::find_merge(llm_token /*left*/, llm_token /*right*/, std::string_view joined) const {
    const llm_token result = vocabulary_.find_piece(joined);
    const bool none = result == LLM_TOKEN_NONE || result == kept_apart_;
    return {none ? no_merge : rank_of(vocabulary_.score(result)), result};
}

void CharacterPairEncoder::encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                                  bool /*first*/) const {
    PieceStream pieces(cutter_, scratch.regex, text);
    std::string_view piece;
    while (pieces.next(piece)) append_text(out, scratch, piece, false);
}

Merge CharacterPairEncoder::find_merge(llm_token left, llm_token right, std::string_view /*joined*/) const {
    return pairs_.find(left, right);
}

}  // namespace llm
