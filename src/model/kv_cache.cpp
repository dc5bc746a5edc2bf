#include "model/kv_cache.h"

#include "base/checked_math.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <variant>

namespace llm {

namespace {

PagePoolShape pool_shape(const KvCacheShape &shape, const CacheLayer &layer) {
    PagePoolShape pool{.context_length = shape.context_length,
                       .sequence_count = shape.sequence_count,
                       .window = layer.window,
                       .batch_size = shape.batch_size};
    if (!PagePool::is_ring(pool)) pool.window = 0;
    return pool;
}

std::optional<uint64_t> checked_memory_bytes(const KvCacheShape &shape) {
    std::optional<uint64_t> sum = 0;
    for (const CacheLayer &layer : shape.layers) {
        const uint64_t pages = PagePool::page_count(pool_shape(shape, layer));
        if (pages > std::numeric_limits<uint32_t>::max()) return std::nullopt;
        for (const CacheType type : {shape.key_type, shape.value_type}) {
            const auto bytes =
                checked_multiply(cache_page_bytes(type, layer.heads.head_length), pages * layer.heads.head_count_kv);
            if (bytes) sum = checked_add(*sum, Arena::footprint<std::byte>(*bytes));
            if (!bytes || !sum) return std::nullopt;
        }
    }
    return sum;
}

}  // namespace

std::vector<CacheLayer> cache_layers(const Graph &graph) {
    std::vector<CacheLayer> layers;
    for (const HeadShape &heads : graph.cache_layers) layers.push_back({heads});
    if (graph.encoding) return layers;  // whose tokens see what comes behind them, too
    std::vector<bool> sees_all(layers.size(), false);
    for (const Step &step : graph.steps) {
        const auto *attend = std::get_if<AttendStep>(&step);
        if (!attend) continue;
        if (attend->window == 0) sees_all[attend->layer] = true;
        layers[attend->layer].window = std::max(layers[attend->layer].window, attend->window);
    }
    for (size_t i = 0; i < layers.size(); ++i)
        if (sees_all[i]) layers[i].window = 0;
    return layers;
}

uint64_t KvCache::memory_bytes(const KvCacheShape &shape) {
    return checked_memory_bytes(shape).value_or(std::numeric_limits<uint64_t>::max());
}

KvCache::KvCache(const KvCacheShape &shape, MemoryProvider &memory)
    : context_length_(shape.context_length),
      key_type_(shape.key_type),
      value_type_(shape.value_type),
      memory_(memory_bytes(shape), "the key-value cache", memory) {
    for (const CacheLayer &kept : shape.layers) {
        const PagePoolShape pool = pool_shape(shape, kept);
        Layer layer;
        layer.pool = add_pool(pool);
        layer.page_count = static_cast<uint32_t>(PagePool::page_count(pool));
        layer.head_count_kv = kept.heads.head_count_kv;
        layer.key_page_bytes = cache_page_bytes(key_type_, kept.heads.head_length);
        layer.value_page_bytes = cache_page_bytes(value_type_, kept.heads.head_length);
        const size_t pages = size_t{layer.head_count_kv} * layer.page_count;
        layer.keys = memory_.take<std::byte>(layer.key_page_bytes * pages).data();
        layer.values = memory_.take<std::byte>(layer.value_page_bytes * pages).data();
        layers_.push_back(layer);
    }
    sequences_.resize(shape.sequence_count);
}

// The pool of that shape: layers differ in the window only.
uint32_t KvCache::add_pool(const PagePoolShape &shape) {
    const auto found = std::find(windows_.begin(), windows_.end(), shape.window);
    if (found != windows_.end()) return static_cast<uint32_t>(found - windows_.begin());
    windows_.push_back(shape.window);
    pools_.emplace_back(shape);
    return static_cast<uint32_t>(pools_.size()) - 1;
}

void KvCache::copy_page(uint32_t pool, const PagePool::Copy &copy) {
    for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
        const Layer &l = layers_[layer];
        for (uint32_t head = 0; l.pool == pool && head < l.head_count_kv; ++head) {
            std::memcpy(key_page(layer, head, copy.to), key_page(layer, head, copy.from), l.key_page_bytes);
            std::memcpy(value_page(layer, head, copy.to), value_page(layer, head, copy.from), l.value_page_bytes);
        }
    }
}

void KvCache::extend(uint32_t sequence, uint32_t count) {
    Sequence &s = sequences_[sequence];
    for (uint32_t pool = 0; pool < pools_.size(); ++pool)
        if (const auto copy = pools_[pool].extend(sequence, s.end, s.end + count)) copy_page(pool, *copy);
    s.end += count;
}

void KvCache::commit(uint32_t sequence) {
    for (PagePool &pool : pools_) pool.commit(sequence);
    sequences_[sequence].length = sequences_[sequence].end;
}

void KvCache::roll_back(uint32_t sequence) {
    for (PagePool &pool : pools_) pool.roll_back(sequence);
    sequences_[sequence].end = sequences_[sequence].length;
}

uint32_t KvCache::shortest_length(uint32_t sequence) const {
    uint32_t length = 0;
    for (const PagePool &pool : pools_) length = std::max(length, pool.shortest_length(sequence));
    return length;
}

void KvCache::shorten(uint32_t sequence, uint32_t length) {
    for (PagePool &pool : pools_) pool.shorten(sequence, length);
    sequences_[sequence].length = sequences_[sequence].end = length;
}

}  // namespace llm
