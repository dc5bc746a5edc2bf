#include "model/page_pool.h"

#include <algorithm>
#include <bit>

namespace llm {

namespace {

// Pages that a row of positions touches at most, wherever it begins.
uint64_t pages_touched(uint64_t positions) { return (positions + 2 * page_positions - 2) / page_positions; }

uint64_t reach_of(const PagePoolShape &shape) { return uint64_t{shape.window} - 1 + shape.batch_size; }

uint64_t pages_of_list(const PagePoolShape &shape) {
    return PagePool::is_ring(shape) ? pages_touched(reach_of(shape)) : pages_for(shape.context_length);
}

uint64_t pages_of_sequence(const PagePoolShape &shape) {
    return PagePool::is_ring(shape) ? 2 * pages_of_list(shape) : pages_of_list(shape);
}

}  // namespace

PageList::PageList(uint32_t capacity)
    : slots_(std::bit_ceil(capacity)), mask_(static_cast<uint32_t>(slots_.size()) - 1) {}

// A ring only where it is the smaller one.
bool PagePool::is_ring(const PagePoolShape &shape) {
    return shape.window != 0 && !shape.keeps_all &&
           2 * pages_touched(reach_of(shape)) < pages_for(shape.context_length);
}

uint64_t PagePool::page_count(const PagePoolShape &shape) { return pages_of_sequence(shape) * shape.sequence_count; }

PagePool::PagePool(const PagePoolShape &shape)
    : window_(shape.window),
      reach_(is_ring(shape) ? static_cast<uint32_t>(reach_of(shape)) : shape.context_length),
      reference_counts_(page_count(shape)) {
    const auto capacity = static_cast<uint32_t>(pages_of_list(shape));
    sequences_.reserve(shape.sequence_count);
    for (uint32_t i = 0; i < shape.sequence_count; ++i) {
        sequences_.push_back({.list = PageList(capacity), .aside = {}});
        if (is_ring(shape)) sequences_.back().aside.reserve(capacity);
    }
    free_pages_.reserve(reference_counts_.size());
    for (auto page = static_cast<uint32_t>(reference_counts_.size()); page > 0; --page) free_pages_.push_back(page - 1);
}

uint32_t PagePool::take() {
    const uint32_t page = free_pages_.back();
    free_pages_.pop_back();
    reference_counts_[page] = 1;
    return page;
}

void PagePool::release(uint32_t page) {
    if (--reference_counts_[page] == 0) free_pages_.push_back(page);
}

// The new page has what the shared one has, so it may stay when the call is rolled back.
std::optional<PagePool::Copy> PagePool::own_page(PageList &list, uint32_t index) {
    const uint32_t shared = list[index];
    if (reference_counts_[shared] == 1) return std::nullopt;
    list[index] = take();
    release(shared);
    return Copy{shared, list[index]};
}

void PagePool::drop_front(Sequence &sequence, uint32_t begin) {
    PageList &list = sequence.list;
    for (; list.begin_ < begin; ++list.begin_) {
        if (list.begin_ < sequence.committed_end)
            sequence.aside.push_back(list[list.begin_]);
        else
            release(list[list.begin_]);
    }
}

void PagePool::drop_back(PageList &list, uint32_t end) {
    while (list.end_ > std::max(end, list.begin_)) release(list[--list.end_]);
}

std::optional<PagePool::Copy> PagePool::extend(uint32_t sequence, uint32_t begin, uint32_t end) {
    Sequence &s = sequences_[sequence];
    std::optional<Copy> copy;
    if (begin % page_positions != 0) copy = own_page(s.list, begin / page_positions);
    if (end > reach_) drop_front(s, (end - reach_) / page_positions);
    while (s.list.end_ < pages_for(end)) s.list[s.list.end_++] = take();
    return copy;
}

void PagePool::commit(uint32_t sequence) {
    Sequence &s = sequences_[sequence];
    for (const uint32_t page : s.aside) release(page);
    s.aside.clear();
    s.committed_begin = s.list.begin_;
    s.committed_end = s.list.end_;
}

void PagePool::roll_back(uint32_t sequence) {
    Sequence &s = sequences_[sequence];
    drop_back(s.list, s.committed_end);
    s.list.begin_ = s.committed_begin;
    s.list.end_ = s.committed_end;
    for (uint32_t i = 0; i < s.aside.size(); ++i) s.list[s.committed_begin + i] = s.aside[i];
    s.aside.clear();
}

uint32_t PagePool::shortest_length(uint32_t sequence) const {
    const uint32_t begin = sequences_[sequence].list.begin_;
    return begin == 0 ? 0 : begin * page_positions + window_ - 1;
}

void PagePool::shorten(uint32_t sequence, uint32_t length) {
    PageList &list = sequences_[sequence].list;
    drop_back(list, pages_for(length));
    if (length == 0) list.begin_ = list.end_ = 0;
    commit(sequence);
}

void PagePool::share(uint32_t from, uint32_t to) {
    const PageList &list = sequences_[from].list;
    for (uint32_t page = list.begin_; page < list.end_; ++page) ++reference_counts_[list[page]];
    sequences_[to].list = list;
    commit(to);
}

uint32_t PagePool::first_page(uint32_t length) const {
    return window_ == 0 || length < window_ ? 0 : (length - window_ + 1) / page_positions;
}

void PagePool::place(uint32_t sequence, uint32_t length) {
    PageList &list = sequences_[sequence].list;
    list.begin_ = list.end_ = first_page(length);
    while (list.end_ < pages_for(length)) list[list.end_++] = take();
    commit(sequence);
}

}  // namespace llm
