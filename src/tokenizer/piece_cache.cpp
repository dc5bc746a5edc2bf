#include "tokenizer/piece_cache.h"

#include "tokenizer/token_map.h"

#include <algorithm>
#include <bit>

namespace llm {

PieceCache::PieceCache(size_t text_size)
    : entries_(std::bit_ceil(std::clamp<size_t>(text_size / 8, 16, 16384)), Entry{0, 0, 0, 0}) {}

bool PieceCache::append(std::vector<llm_token> &out, const char *base, std::string_view piece) {
    entry_ = nullptr;
    if (piece.size() > longest_piece) return false;
    entry_ = &entries_[hash_text(piece) & (entries_.size() - 1)];
    if (std::string_view(base + entry_->position, entry_->length) != piece) return false;
    // The tokens stand in the same vector, which may move when it grows.
    const size_t size = out.size();
    out.resize(size + entry_->token_count);
    std::copy_n(out.begin() + entry_->first_token, entry_->token_count, out.begin() + static_cast<ptrdiff_t>(size));
    return true;
}

void PieceCache::remember(const std::vector<llm_token> &out, const char *base, std::string_view piece,
                          size_t first_token) {
    if (entry_ == nullptr) return;
    *entry_ = {static_cast<uint32_t>(piece.data() - base), static_cast<uint32_t>(piece.size()),
               static_cast<uint32_t>(first_token), static_cast<uint32_t>(out.size() - first_token)};
}

}  // namespace llm
