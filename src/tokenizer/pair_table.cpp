#include "tokenizer/pair_table.h"

#include <algorithm>
#include <bit>
#include <string>

namespace llm {

PairTable::PairTable(const Vocabulary &vocabulary, std::span<const std::string_view> merges) {
    const size_t slot_count = std::bit_ceil(std::max<size_t>(4, merges.size() + merges.size() / 2));
    slots_.resize(slot_count);
    shift_ = static_cast<uint32_t>(64 - std::countr_zero(slot_count));

    std::string joined;
    for (size_t rank = 0; rank < merges.size(); ++rank) {
        const size_t space = merges[rank].find(' ', 1);
        if (space == std::string_view::npos) continue;
        joined.clear();
        vocabulary.append_spelled(joined, merges[rank].substr(0, space));
        const size_t left_size = joined.size();
        vocabulary.append_spelled(joined, merges[rank].substr(space + 1));
        const std::string_view both = joined;
        const llm_token left = vocabulary.find_piece(both.substr(0, left_size));
        const llm_token right = vocabulary.find_piece(both.substr(left_size));
        const llm_token result = vocabulary.find_piece(both);
        if (left == LLM_TOKEN_NONE || right == LLM_TOKEN_NONE || result == LLM_TOKEN_NONE) continue;
        insert({left, right, {static_cast<uint32_t>(rank), result}});
    }
}

void PairTable::insert(const Slot &added) {
    size_t index = place(added.left, added.right);
    while (slots_[index].left != LLM_TOKEN_NONE) {
        if (slots_[index].left == added.left && slots_[index].right == added.right) return;
        index = (index + 1) & (slots_.size() - 1);
    }
    slots_[index] = added;
}

}  // namespace llm
