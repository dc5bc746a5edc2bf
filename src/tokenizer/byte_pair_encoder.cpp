#include "tokenizer/byte_pair_encoder.h"

#include "base/utf8.h"

#include <algorithm>

namespace llm {

namespace {

// Bytes that table 3-7 of the Unicode standard does not have. Vocabularies often lack them.
bool is_never_well_formed(uint8_t byte) { return byte == 0xC0 || byte == 0xC1 || byte >= 0xF5; }

}  // namespace

BytePairEncoder::BytePairEncoder(const Vocabulary &vocabulary, const PreTokenizer &pre_tokenizer,
                                 std::span<const std::string_view> merges)
    : vocabulary_(vocabulary),
      cutter_(pre_tokenizer),
      pairs_(vocabulary, merges),
      whole_word_first_(pre_tokenizer.has(PreTokenizer::whole_word_first)) {
    const bool expressible = std::ranges::all_of(replacement_character_utf8, [&](char byte) {
        return vocabulary.byte_token(static_cast<uint8_t>(byte)) != LLM_TOKEN_NONE;
    });
    if (expressible) append_merged(replacement_, *this, replacement_character_utf8);
}

void BytePairEncoder::encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                             bool /*first*/) const {
    PieceStream pieces(cutter_, scratch.regex, text);
    std::string_view piece;
    while (pieces.next(piece)) {
        if (scratch.cache.append(out, scratch.whole_text.data(), piece)) continue;
        const size_t first_token = out.size();
        append_piece(out, piece);
        scratch.cache.remember(out, scratch.whole_text.data(), piece, first_token);
    }
}

void BytePairEncoder::append_piece(std::vector<llm_token> &out, std::string_view piece) const {
    if (whole_word_first_) {
        const llm_token whole = vocabulary_.find_piece(piece);
        if (whole != LLM_TOKEN_NONE) {
            out.push_back(whole);
            return;
        }
    }
    append_merged(out, *this, piece);
}

MergeModel::Symbol BytePairEncoder::first_symbol(std::string_view text) const {
    return {vocabulary_.byte_token(static_cast<uint8_t>(text.front())), 1};
}

Merge BytePairEncoder::find_merge(llm_token left, llm_token right, std::string_view /*joined*/) const {
    return pairs_.find(left, right);
}

void BytePairEncoder::append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const {
    if (token != LLM_TOKEN_NONE) {
        out.push_back(token);
    } else if (!replacement_.empty() && is_never_well_formed(static_cast<uint8_t>(text.front()))) {
        out.insert(out.end(), replacement_.begin(), replacement_.end());
    } else if (const llm_token unknown = vocabulary_.unknown_in_text(); unknown != LLM_TOKEN_NONE) {
        out.push_back(unknown);  // for each byte: the tokens of a piece must not depend on what is in front of it
    }
    // A byte with neither is left out, as by the libraries that such vocabularies are trained with.
}

}  // namespace llm
