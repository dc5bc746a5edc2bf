// The key-value cache: pools of pages of 64 positions, one for all layers that keep the same positions.
#pragma once

#include "base/arena.h"
#include "model/graph.h"
#include "model/page_pool.h"

#include <cstdint>
#include <span>
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
    bool keeps_all = false;  // of layers with a window, too
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
    // With what the running call has added.
    uint32_t end(uint32_t sequence) const { return sequences_[sequence].end; }

    // A call grows sequences piece by piece. Makes room for `count` more positions, no more than the batch size and
    // what context_length() leaves. The length stays until commit(); roll_back() gives the sequence as it was.
    // None of them allocates.
    void extend(uint32_t sequence, uint32_t count);
    void commit(uint32_t sequence);
    void roll_back(uint32_t sequence);

    // Lengths to which a sequence can be shortened: 0, and from this one on, since the next token needs its windows.
    uint32_t shortest_length(uint32_t sequence) const;
    void shorten(uint32_t sequence, uint32_t length);

    // Gives `to` the positions of `from`, another sequence. They share the pages until one of them writes.
    void fork(uint32_t from, uint32_t to);

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

    // For a saved state: the pages that the next token of a sequence of that length would read. What a page has behind
    // the length is saved as zeros, stored by the kernels.
    uint64_t saved_bytes(uint32_t length) const;
    void save(uint32_t sequence, std::span<uint8_t> out, const KernelTable &kernels) const;
    // Replaces a sequence by one of that length, from as many bytes as saved_bytes() says.
    void restore(uint32_t sequence, uint32_t length, std::span<const uint8_t> bytes);

    CacheType key_type() const { return key_type_; }
    CacheType value_type() const { return value_type_; }

private:
    struct Layer {
        uint32_t pool, page_count, head_count_kv, head_length;
        std::byte *keys, *values;
        size_t key_page_bytes, value_page_bytes;
    };
    struct Sequence {
        uint32_t length = 0;
        uint32_t end = 0;  // the length when the call is committed
    };

    uint32_t add_pool(const PagePoolShape &shape);
    void copy_page(uint32_t pool, const PagePool::Copy &copy);
    template <class Visit>
    void for_each_saved_page(uint32_t sequence, Visit visit) const;

    uint32_t context_length_;
    CacheType key_type_, value_type_;
    Arena memory_;
    std::vector<PagePool> pools_;
    std::vector<uint32_t> windows_;  // of each pool
    std::vector<Layer> layers_;
    std::vector<Sequence> sequences_;
};

}  // namespace llm
