// The key-value cache: pools of pages of 64 positions, one for all layers that keep the same positions.
#pragma once

#include "base/arena.h"
#include "model/graph.h"
#include "model/page_pool.h"

#include <cstdint>
#include <vector>

namespace llm {

struct CacheLayer {
    HeadShape heads;
    uint32_t window = 0;  // positions that a token sees, its own among them; 0: all before it
};

// What the layers of a graph keep: a window only where everything that reads a layer has one.
std::vector<CacheLayer> cache_layers(const Graph &graph);

struct KvCacheShape {
    std::vector<CacheLayer> layers;
    uint32_t context_length;  // positions of each sequence
    uint32_t sequence_count;
    uint32_t batch_size;  // the most positions that one extend() adds to a sequence
    CacheType key_type, value_type;
};

// Memory is laid out as [layer][kv head][page], for keys and values each, so that pages taken one after the other
// are also read one after the other. It is reserved whole and used as positions are written.
class KvCache {
public:
    explicit KvCache(const KvCacheShape &shape, MemoryProvider &memory = MemoryProvider::system());

    // It saturates, instead of wrapping, above what any machine has.
    static uint64_t memory_bytes(const KvCacheShape &shape);

    uint32_t context_length() const { return context_length_; }
    uint32_t sequence_count() const { return static_cast<uint32_t>(sequences_.size()); }
    uint32_t length(uint32_t sequence) const { return sequences_[sequence].length; }

    // A call grows sequences piece by piece. Makes room for `count` more positions, no more than the batch size and
    // what context_length() leaves. The length stays until commit(); roll_back() gives the sequence as it was.
    // None of them allocates.
    void extend(uint32_t sequence, uint32_t count);
    void commit(uint32_t sequence);
    void roll_back(uint32_t sequence);

    // Lengths to which a sequence can be shortened: 0, and from this one on, since the next token needs its windows.
    uint32_t shortest_length(uint32_t sequence) const;
    void shorten(uint32_t sequence, uint32_t length);

    // Pages of a sequence in a layer; page i holds positions i * page_positions on.
    const PageList &pages(uint32_t layer, uint32_t sequence) const {
        return pools_[layers_[layer].pool].list(sequence);
    }

    std::byte *key_page(uint32_t layer, uint32_t head, uint32_t page) const {
        const Layer &l = layers_[layer];
        return l.keys + (size_t{head} * l.page_count + page) * l.key_page_bytes;
    }
    std::byte *value_page(uint32_t layer, uint32_t head, uint32_t page) const {
        const Layer &l = layers_[layer];
        return l.values + (size_t{head} * l.page_count + page) * l.value_page_bytes;
    }

    CacheType key_type() const { return key_type_; }
    CacheType value_type() const { return value_type_; }

private:
    struct Layer {
        uint32_t pool, page_count, head_count_kv;
        std::byte *keys, *values;
        size_t key_page_bytes, value_page_bytes;
    };
    struct Sequence {
        uint32_t length = 0;
        uint32_t end = 0;  // the length when the call is committed
    };

    uint32_t add_pool(const PagePoolShape &shape);
    void copy_page(uint32_t pool, const PagePool::Copy &copy);

    uint32_t context_length_;
    CacheType key_type_, value_type_;
    Arena memory_;
    std::vector<PagePool> pools_;
    std::vector<uint32_t> windows_;  // of each pool; 0 also when its window is too large for a ring
    std::vector<Layer> layers_;
    std::vector<Sequence> sequences_;
};

}  // namespace llm
