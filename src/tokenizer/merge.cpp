#include "tokenizer/merge.h"

#include "tokenizer/merge_queue.h"

#include <array>

namespace llm {

namespace {

// Texts of up to this many bytes, which is nearly all words, are merged by looking at all ranks each time.
constexpr size_t short_text = 48;

class ShortMerger {
public:
    ShortMerger(const MergeModel &model, std::string_view text) : model_(model), text_(text) {
        uint32_t position = 0;
        while (position < text.size()) {
            const MergeModel::Symbol symbol = model.first_symbol(text.substr(position));
            starts_[count_] = position;
            tokens_[count_] = symbol.token;
            ++count_;
            position += symbol.length;
        }
        starts_[count_] = position;
        for (size_t index = 0; index + 1 < count_; ++index) update(index);
    }

    void merge_all() {
        while (count_ > 1) {
            size_t best = 0;
            for (size_t index = 1; index + 1 < count_; ++index) {
                if (merges_[index].rank < merges_[best].rank) best = index;
            }
            if (merges_[best].rank == no_merge) return;
            merge_at(best);
        }
    }

    void append_to(std::vector<llm_token> &out) const {
        for (size_t index = 0; index < count_; ++index)
            model_.append_tokens(out, tokens_[index], bytes(index, index + 1));
    }

private:
    std::string_view bytes(size_t first, size_t end) const {
        return text_.substr(starts_[first], starts_[end] - starts_[first]);
    }

    void update(size_t index) {
        merges_[index] = model_.find_merge(tokens_[index], tokens_[index + 1], bytes(index, index + 2));
    }

    void merge_at(size_t index) {
        tokens_[index] = merges_[index].result;
        for (size_t next = index + 1; next + 1 < count_; ++next) {
            starts_[next] = starts_[next + 1];
            tokens_[next] = tokens_[next + 1];
            merges_[next] = merges_[next + 1];
        }
        --count_;
        starts_[count_] = static_cast<uint32_t>(text_.size());
        if (index + 1 < count_) update(index);
        if (index > 0) update(index - 1);
    }

    const MergeModel &model_;
    std::string_view text_;
    size_t count_ = 0;
    std::array<uint32_t, short_text + 1> starts_;
    std::array<llm_token, short_text> tokens_;
    std::array<Merge, short_text> merges_;  // of each symbol with the next
};

// For long texts. Symbols are found through their first and last byte, so that neighbours need no links.
class LongMerger {
public:
    LongMerger(const MergeModel &model, std::string_view text)
        : model_(model), text_(text), extents_(text.size()), tokens_(text.size()) {
        uint32_t position = 0;
        while (position < text.size()) {
            const MergeModel::Symbol symbol = model.first_symbol(text.substr(position));
            place(position, symbol.length, symbol.token);
            position += symbol.length;
        }
        queue_.reserve(text.size());
        for (position = 0; position < text.size(); position += length(position)) enqueue(position);
    }

    void merge_all() {
        while (!queue_.empty()) {
            const auto [rank, left] = queue_.pop();
            if (!begins_symbol(left)) continue;
            const uint32_t right = left + length(left);
            if (right == text_.size()) continue;
            // The entry is stale when other merges have changed the pair since.
            const Merge merge = find(left, right);
            if (merge.rank != rank) continue;
            join(left, right, merge.result);
            if (left > 0) enqueue(previous(left));
            enqueue(left);
        }
    }

    void append_to(std::vector<llm_token> &out) const {
        for (uint32_t position = 0; position < text_.size(); position += length(position)) {
            model_.append_tokens(out, tokens_[position], text_.substr(position, length(position)));
        }
    }

private:
    // An element of extents_: the length of the symbol whose first or last byte is here; 0 inside a symbol.
    static constexpr uint32_t is_last = 0x80000000u;  // and not the first as well

    bool begins_symbol(uint32_t position) const {
        return extents_[position] != 0 && (extents_[position] & is_last) == 0;
    }
    uint32_t length(uint32_t begin) const { return extents_[begin]; }
    uint32_t previous(uint32_t begin) const { return begin - (extents_[begin - 1] & ~is_last); }

    void place(uint32_t begin, uint32_t size, llm_token token) {
        extents_[begin + size - 1] = size | is_last;
        extents_[begin] = size;
        tokens_[begin] = token;
    }

    void join(uint32_t left, uint32_t right, llm_token token) {
        const uint32_t size = right - left + length(right);
        extents_[right - 1] = 0;
        extents_[right] = 0;
        place(left, size, token);
    }

    Merge find(uint32_t left, uint32_t right) {
        const auto look_up = [&] {
            return model_.find_merge(tokens_[left], tokens_[right], text_.substr(left, right - left + length(right)));
        };
        const llm_token first = tokens_[left];
        const llm_token second = tokens_[right];
        if (first == LLM_TOKEN_NONE || second == LLM_TOKEN_NONE) return look_up();
        Recent &recent = recent_[(static_cast<uint32_t>(first) * 31 + static_cast<uint32_t>(second)) % recent_.size()];
        if (recent.left != first || recent.right != second) recent = {first, second, look_up()};
        return recent.merge;
    }

    // Queues the pair that begins at `left`.
    void enqueue(uint32_t left) {
        const uint32_t right = left + length(left);
        if (right == text_.size()) return;
        const Merge merge = find(left, right);
        if (merge.rank != no_merge) queue_.push({merge.rank, left});
    }

    const MergeModel &model_;
    std::string_view text_;
    std::vector<uint32_t> extents_;
    std::vector<llm_token> tokens_;  // of the symbol that begins at each byte
    MergeQueue queue_;

    // Texts that are long without a cut repeat themselves, and so do the pairs to be looked up.
    struct Recent {
        llm_token left = LLM_TOKEN_NONE;
        llm_token right = LLM_TOKEN_NONE;
        Merge merge = {no_merge, LLM_TOKEN_NONE};
    };
    std::array<Recent, 256> recent_;
};

template <class Merger>
void append_with(std::vector<llm_token> &out, const MergeModel &model, std::string_view text) {
    Merger merger(model, text);
    merger.merge_all();
    merger.append_to(out);
}

}  // namespace

void append_merged(std::vector<llm_token> &out, const MergeModel &model, std::string_view text) {
    if (text.size() <= short_text) {
        append_with<ShortMerger>(out, model, text);
    } else {
        append_with<LongMerger>(out, model, text);
    }
}

}  // namespace llm
