// The queue of byte-pair merging: positions by rank, and in ascending order within a rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace llm {

// A heap, but not of positions: of runs of ascending positions with the same rank. In texts that make long queues
// (the same few letters again and again) positions are pushed almost in order, so that there are few runs, and taking
// a position costs hardly more than reading the next one of its run. At worst every run holds one position, and this
// is an ordinary heap.
class MergeQueue {
public:
    struct Item {
        uint32_t rank;
        uint32_t position;
    };

    void reserve(size_t count) { entries_.reserve(count); }
    void push(Item item);
    bool empty() const { return heap_.empty(); }
    Item pop();

private:
    static constexpr uint32_t none = UINT32_MAX;

    struct Entry {
        uint32_t position;
        uint32_t next;  // of the same run, or of the free entries
    };
    struct Run {
        uint32_t rank;
        uint32_t position;  // of its first entry
        uint32_t first;
        uint32_t number;  // index in tails_
    };

    static bool before(const Run &a, const Run &b) {
        return a.rank != b.rank ? a.rank < b.rank : a.position < b.position;
    }
    uint32_t new_entry(uint32_t position);
    uint32_t new_run_number();
    void sift_down();

    std::vector<Entry> entries_;
    uint32_t free_entry_ = none;
    std::vector<Run> heap_;        // binary, the least in front
    std::vector<uint32_t> tails_;  // last entry of each run; of an ended one the next free number
    uint32_t free_number_ = none;

    // The run of a rank that was pushed to last. A place holds one rank of many; a rank that is not found starts
    // another run, which costs time and nothing else.
    struct Open {
        uint32_t rank = none;
        uint32_t number = none;
    };
    Open &open_of(uint32_t rank) { return open_[(rank * 0x9E3779B1u) >> 24]; }
    std::array<Open, 256> open_;
};

}  // namespace llm
