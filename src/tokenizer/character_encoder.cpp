#include "tokenizer/character_encoder.h"

#include "base/utf8.h"
#include "tokenizer/written_space.h"

#include <algorithm>
#include <bit>

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
    if (scratch.cache.append(out, base, segment)) return;
    const size_t first_token = out.size();
    append_merged(out, *this, segment);
    scratch.cache.remember(out, base, segment, first_token);
}

MergeModel::Symbol CharacterEncoder::first_symbol(std::string_view text) const {
    const uint8_t length = decode_utf8(text).length;
    return {vocabulary_.find_piece(text.substr(0, length)), length};
}

void CharacterEncoder::append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const {
    if (token != LLM_TOKEN_NONE) {
        out.push_back(token);
        return;
    }
    const auto byte_token = [&](char byte) { return vocabulary_.byte_token(static_cast<uint8_t>(byte)); };
    const bool has_bytes = std::ranges::all_of(text, [&](char byte) { return byte_token(byte) != LLM_TOKEN_NONE; });
    if (has_bytes) {
        std::ranges::transform(text, std::back_inserter(out), byte_token);
        return;
    }
    // Neighbouring unknown characters are one unknown token, as in SentencePiece.
    const llm_token unknown = vocabulary_.unknown_or_fail(text);
    if (out.empty() || out.back() != unknown) out.push_back(unknown);
}

void SentencePieceEncoder::encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                                  bool first) const {
    append_text(out, scratch, text, first && vocabulary_.flags().add_space_prefix);
}

Merge SentencePieceEncoder::find_merge(llm_token /*left*/, llm_token /*right*/, std::string_view joined) const {
    const llm_token result = vocabulary_.find_piece(joined);
    return {result == LLM_TOKEN_NONE ? no_merge : rank_of(vocabulary_.score(result)), result};
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
