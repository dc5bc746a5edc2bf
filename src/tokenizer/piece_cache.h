// Remembers, during one tokenization, the tokens of the pieces seen last: most words of a text come again.
#pragma once

#include <llm/llm.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace llm {

// Holds no text and no tokens of its own: both are found by their place in the text and in the output.
class PieceCache {
public:
    // For a text of that many bytes, which grows no further than 2^32.
    explicit PieceCache(size_t text_size);

    // Appends the tokens of `piece`, which lies in the text that begins at `base`, if it was remembered.
    // Otherwise returns false, and remember() is to follow when they have been appended from out[first_token] on.
    bool append(std::vector<llm_token> &out, const char *base, std::string_view piece);
    void remember(const std::vector<llm_token> &out, const char *base, std::string_view piece, size_t first_token);

private:
    struct Entry {
        uint32_t position;
        uint32_t length;  // 0: free
        uint32_t first_token;
        uint32_t token_count;
    };

    static constexpr size_t longest_piece = 32;

    std::vector<Entry> entries_;  // a power of two
    Entry *entry_ = nullptr;      // of the piece that append() did not find; nullptr when it is too long
};

}  // namespace llm
