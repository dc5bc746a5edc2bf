#include "tokenizer/merge_queue.h"

#include <algorithm>

namespace llm {

uint32_t MergeQueue::new_entry(uint32_t position) {
    if (free_entry_ == none) {
        entries_.push_back({position, none});
        return static_cast<uint32_t>(entries_.size() - 1);
    }
    const uint32_t entry = free_entry_;
    free_entry_ = entries_[entry].next;
    entries_[entry] = {position, none};
    return entry;
}

uint32_t MergeQueue::new_run_number() {
    if (free_number_ == none) {
        tails_.push_back(none);
        return static_cast<uint32_t>(tails_.size() - 1);
    }
    const uint32_t number = free_number_;
    free_number_ = tails_[number];
    return number;
}

void MergeQueue::push(Item item) {
    const uint32_t entry = new_entry(item.position);
    Open &open = open_of(item.rank);
    if (open.rank == item.rank) {
        uint32_t &tail = tails_[open.number];
        if (entries_[tail].position < item.position) {
            entries_[tail].next = entry;
            tail = entry;
            return;
        }
    }
    const uint32_t number = new_run_number();
    tails_[number] = entry;
    open = {item.rank, number};
    heap_.push_back({item.rank, item.position, entry, number});
    std::push_heap(heap_.begin(), heap_.end(), [](const Run &a, const Run &b) { return before(b, a); });
}

MergeQueue::Item MergeQueue::pop() {
    Run &run = heap_.front();
    const Item item = {run.rank, run.position};
    const uint32_t next = entries_[run.first].next;
    entries_[run.first].next = free_entry_;
    free_entry_ = run.first;
    if (next != none) {
        run.first = next;
        run.position = entries_[next].position;
    } else {
        Open &open = open_of(run.rank);
        if (open.number == run.number) open = {};
        tails_[run.number] = free_number_;
        free_number_ = run.number;
        run = heap_.back();
        heap_.pop_back();
    }
    if (!heap_.empty()) sift_down();
    return item;
}

// Moves the run in front to its place.
void MergeQueue::sift_down() {
    const Run run = heap_.front();
    size_t hole = 0;
    for (;;) {
        size_t child = 2 * hole + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
        if (!before(heap_[child], run)) break;
        heap_[hole] = heap_[child];
        hole = child;
    }
    heap_[hole] = run;
}

}  // namespace llm
