// The key-value cache: a pool of pages of 64 positions, and for each sequence the list of its pages.
#pragma once

#include "base/arena.h"
#include "kernels/kernel_table.h"
#include "model/graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace llm {

struct KvCacheShape {
    std::span<const HeadShape> layers;
    uint32_t context_length;  // positions of each sequence
    uint32_t sequence_count;
    CacheType key_type, value_type;
};

// Memory is laid out as [layer][kv head][page], for keys and values each, so that pages taken one after the other
// are also read one after the other. It is reserved whole and used as positions are written.
class KvCache {
public:
    explicit KvCache(const KvCacheShape &shape);

    static uint64_t memory_bytes(const KvCacheShape &shape);

    uint32_t context_length() const { return context_length_; }
    uint32_t sequence_count() const { return static_cast<uint32_t>(sequences_.size()); }
    uint32_t length(uint32_t sequence) const { return sequences_[sequence].length; }

    // Makes room for `count` more positions of a sequence without changing its length; false when they would exceed
    // context_length(). Never allocates.
    bool reserve(uint32_t sequence, uint32_t count);

    // Sets the length and gives back the pages behind it. Room that was reserved and not used goes back, too.
    void set_length(uint32_t sequence, uint32_t length);

    // Pages of a sequence, in order; each holds page_positions positions.
    std::span<const uint32_t> pages(uint32_t sequence) const { return sequences_[sequence].pages; }

    std::byte *key_page(uint32_t layer, uint32_t head, uint32_t page) const {
        const Layer &l = layers_[layer];
        return l.keys + (size_t{head} * page_count_ + page) * l.key_page_bytes;
    }
    std::byte *value_page(uint32_t layer, uint32_t head, uint32_t page) const {
        const Layer &l = layers_[layer];
        return l.values + (size_t{head} * page_count_ + page) * l.value_page_bytes;
    }

    CacheType key_type() const { return key_type_; }
    CacheType value_type() const { return value_type_; }

private:
    struct Layer {
        std::byte *keys, *values;
        size_t key_page_bytes, value_page_bytes;
    };
    struct Sequence {
        std::vector<uint32_t> pages;  // capacity reserved for context_length
        uint32_t length = 0;
    };

    uint32_t context_length_;
    uint32_t page_count_;  // in the pool
    CacheType key_type_, value_type_;
    Arena memory_;
    std::vector<Layer> layers_;
    std::vector<Sequence> sequences_;
    std::vector<uint32_t> free_pages_;  // the next one to take is the last
};

}  // namespace llm
