// The tokens that a sampler has seen last.
#pragma once

#include <llm/llm.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace llm {

class TokenHistory {
public:
    static constexpr size_t unlimited = SIZE_MAX;

    // Remembers as many tokens as will be asked for.
    explicit TokenHistory(size_t most) : most_(most) { make_room(4096); }

    // So that the next `count` tokens can be appended without an allocation.
    void make_room(size_t count) {
        const size_t length = tokens_.size() + count;
        const size_t needed = most_ == unlimited ? length : std::min(length, 2 * most_);
        if (needed > tokens_.capacity()) tokens_.reserve(std::max(needed, 2 * tokens_.capacity()));
    }

    void append(llm_token token) {
        if (most_ == 0) return;
        if (most_ != unlimited && tokens_.size() >= 2 * most_)
            tokens_.erase(tokens_.begin(), tokens_.end() - static_cast<std::ptrdiff_t>(most_ - 1));
        tokens_.push_back(token);
    }

    void clear() { tokens_.clear(); }

    // The last `count`, or as many as there are; the oldest first.
    std::span<const llm_token> last(size_t count) const {
        return std::span(tokens_).last(std::min(count, tokens_.size()));
    }

private:
    size_t most_;
    std::vector<llm_token> tokens_;
};

}  // namespace llm
