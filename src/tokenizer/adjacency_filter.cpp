#include "tokenizer/adjacency_filter.h"

#include "base/utf8.h"

#include <algorithm>
#include <bit>

namespace llm {

AdjacencyFilter::AdjacencyFilter(const Vocabulary &vocabulary) {
    // About four pairs for each token, of which many are equal; with 32 bits for each token few others look alike.
    const uint64_t bit_count = std::bit_ceil(std::clamp<uint64_t>(uint64_t(vocabulary.size()) * 32, 64, 1u << 24));
    bits_.resize(bit_count / 64);
    mask_ = bit_count - 1;
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        std::string_view piece = vocabulary.piece(token);
        if (piece.empty() || vocabulary.has(token, LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN | LLM_TOKEN_BYTE)) continue;
        Utf8Character left = decode_utf8(piece);
        for (piece.remove_prefix(left.length); !piece.empty();) {
            const Utf8Character right = decode_utf8(piece);
            const uint64_t bit = hash(left.code_point, right.code_point) & mask_;
            bits_[bit / 64] |= uint64_t(1) << (bit % 64);
            left = right;
            piece.remove_prefix(right.length);
        }
    }
}

}  // namespace llm
