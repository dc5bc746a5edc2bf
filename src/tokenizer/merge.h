// Byte-pair merging: a text is a row of symbols, and again and again the two neighbours with the lowest rank become
// one; of equal ranks the leftmost. What symbols and ranks are is a MergeModel's matter.
#pragma once

#include <llm/llm.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace llm {

inline constexpr uint32_t no_merge = UINT32_MAX;

struct Merge {
    uint32_t rank;  // no_merge when the two stay apart
    llm_token result;
};

class MergeModel {
public:
    struct Symbol {
        llm_token token;  // LLM_TOKEN_NONE when the symbol has none of its own
        uint32_t length;  // in bytes, at least 1
    };

    virtual ~MergeModel() = default;

    // The symbol at the start of a text that is not empty.
    virtual Symbol first_symbol(std::string_view text) const = 0;

    // What two neighbours may become; `joined` are the bytes of both.
    virtual Merge find_merge(llm_token left, llm_token right, std::string_view joined) const = 0;

    // Appends the tokens of a symbol that was not merged further.
    virtual void append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view text) const = 0;
};

// Appends the tokens of `text`, at most 2^31 bytes. Time is n log n at worst, memory about 20 bytes for each of `text`
// when it is long.
void append_merged(std::vector<llm_token> &out, const MergeModel &model, std::string_view text);

}  // namespace llm
