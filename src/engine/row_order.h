// The order in which the steps of a plan work on the rows of a batch.
//
// The calling thread claims chunks from the first on, helpers from the last (Phase::from_ends). So if every step offers
// the rows of a large batch in the same order, most rows stay with one participant from step to step, in the cache of
// its core. Where two cores are far apart, a row that changes hands can cost more than the work on it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace llm {

struct RowRange {
    uint32_t first, count;
    uint32_t end() const { return first + count; }
};

// Rows are dealt out in blocks, like cards: attention sees more from later rows, and so each share has as many early
// ones as late ones. First come the blocks of the first share, then those of the second one, and so on.
class RowOrder {
public:
    RowOrder() = default;
    RowOrder(uint32_t row_count, uint32_t block_rows, uint32_t share_count)
        : row_count_(row_count), block_rows_(block_rows), share_count_(share_count) {}

    // Batches with some blocks for each of the team are dealt out, smaller ones are one block.
    static RowOrder of_batch(uint32_t row_count, uint32_t participants) {
        const bool is_large = row_count >= least_blocks * dealt_rows * uint64_t{participants};
        return is_large ? RowOrder(row_count, dealt_rows, participants)
                        : RowOrder(row_count, std::max(row_count, 1u), 1);
    }

    bool is_dealt_out() const { return block_rows_ < row_count_; }

    uint32_t block_rows() const { return block_rows_; }
    uint32_t block_count() const { return (row_count_ + block_rows_ - 1) / block_rows_; }

    // The block that comes as number `index`.
    RowRange block(uint32_t index) const {
        // The first `longer` shares have a block more than the others.
        const uint32_t blocks = block_count() / share_count_, longer = block_count() % share_count_;
        const uint32_t of_longer = longer * (blocks + 1);
        const uint32_t share = index < of_longer ? index / (blocks + 1) : longer + (index - of_longer) / blocks;
        const uint32_t place = index < of_longer ? index % (blocks + 1) : (index - of_longer) % blocks;
        const uint32_t first = (place * share_count_ + share) * block_rows_;
        return {first, std::min(block_rows_, row_count_ - first)};
    }

private:
    // What both the matrix kernels and attention cut into whole tiles.
    static constexpr uint32_t dealt_rows = 24;
    static constexpr uint32_t least_blocks = 2;

    uint32_t row_count_ = 0, block_rows_ = 1, share_count_ = 1;
};

}  // namespace llm
