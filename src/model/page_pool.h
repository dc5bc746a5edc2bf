// Which pages of a group of layers belong to which sequence. Numbers only: the memory is the cache's.
#pragma once

#include "kernels/kernel_table.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace llm {

inline constexpr uint32_t pages_for(uint32_t positions) {
    return positions / page_positions + (positions % page_positions != 0);
}

// Pages begin .. end - 1 of a sequence, where page i holds positions i * page_positions on.
class PageList {
public:
    explicit PageList(uint32_t capacity);  // the most pages at a time

    uint32_t begin() const { return begin_; }
    uint32_t end() const { return end_; }
    uint32_t &operator[](uint32_t index) { return slots_[index & mask_]; }
    uint32_t operator[](uint32_t index) const { return slots_[index & mask_]; }

private:
    friend class PagePool;

    std::vector<uint32_t> slots_;  // a ring: a power of two
    uint32_t mask_;
    uint32_t begin_ = 0, end_ = 0;
};

// What layers with the same window keep of each sequence.
struct PagePoolShape {
    uint32_t context_length;
    uint32_t sequence_count;
    uint32_t window;      // positions that a token sees, its own among them; 0: all before it
    uint32_t batch_size;  // most positions that one extend() adds
    bool keeps_all = false;
};

// Without a window, or when everything is to be kept, a list has all pages of its sequence. Else it is a ring, unless
// that would be larger: it holds the last
//     reach = window - 1 + batch_size
// positions, so that each of the last batch_size positions still has its window, and a sequence can be shortened by
// that many. Pages that a call drops from the front are put aside until the call is committed, because roll_back()
// may want them.
//
// There is always a free page when one is needed. A sequence has, in its list and put aside, at most
// pages_of_sequence() pages: those of its context, or in a ring twice what `reach` positions can touch,
// once for the list, once for what is put aside, which was the list before. So the pool, with as many pages for each
// sequence, has
//   - a page for a sequence that has less than its share, because every used page is in some sequence's share;
//   - a page for the copy of a shared one: a page that counts in two shares is used once.
class PagePool {
public:
    explicit PagePool(const PagePoolShape &shape);

    static bool is_ring(const PagePoolShape &shape);
    static uint64_t page_count(const PagePoolShape &shape);

    const PageList &list(uint32_t sequence) const { return sequences_[sequence].list; }

    struct Copy {
        uint32_t from, to;
    };

    // Makes room for positions begin .. end - 1 behind what the sequence has, at most batch_size of them. When a
    // page that others share would be written, it is replaced: the caller copies its contents before anything is
    // written. Never allocates.
    std::optional<Copy> extend(uint32_t sequence, uint32_t begin, uint32_t end);
    // What extend() did since the last commit becomes final.
    void commit(uint32_t sequence);
    // Takes it back: the sequence has the pages that it had.
    void roll_back(uint32_t sequence);

    // The least length, besides 0, to which a sequence can be shortened: so that the next token has its window.
    uint32_t shortest_length(uint32_t sequence) const;
    void shorten(uint32_t sequence, uint32_t length);

    // Gives `to`, which is empty, the pages of `from`.
    void share(uint32_t from, uint32_t to);

    // The first page that a sequence of that length needs for the next token.
    uint32_t first_page(uint32_t length) const;
    // Gives a sequence, which is empty, pages from first_page() on.
    void place(uint32_t sequence, uint32_t length);

private:
    struct Sequence {
        PageList list;
        std::vector<uint32_t> aside;  // from the front of the committed list, ascending; capacity reserved
        uint32_t committed_begin = 0, committed_end = 0;
    };

    uint32_t take();
    void release(uint32_t page);
    std::optional<Copy> own_page(PageList &list, uint32_t index);
    void drop_front(Sequence &sequence, uint32_t begin);
    void drop_back(PageList &list, uint32_t end);

    uint32_t window_;
    uint32_t reach_;  // positions that a list keeps
    std::vector<Sequence> sequences_;
    std::vector<uint32_t> reference_counts_;  // of each page: lists and put-aside pages that have it
    std::vector<uint32_t> free_pages_;        // the next one to take is the last
};

}  // namespace llm
