#include "model/kv_cache.h"

namespace llm {

namespace {

uint32_t pages_for(uint32_t positions) { return (positions + page_positions - 1) / page_positions; }

uint32_t pool_pages(const KvCacheShape &shape) { return pages_for(shape.context_length) * shape.sequence_count; }

}  // namespace

uint64_t KvCache::memory_bytes(const KvCacheShape &shape) {
    uint64_t bytes = 0;
    for (const HeadShape &layer : shape.layers)
        for (const CacheType type : {shape.key_type, shape.value_type})
            bytes += Arena::footprint<std::byte>(cache_page_bytes(type, layer.head_length) * layer.head_count_kv *
                                                 pool_pages(shape));
    return bytes;
}

KvCache::KvCache(const KvCacheShape &shape)
    : context_length_(shape.context_length),
      page_count_(pool_pages(shape)),
      key_type_(shape.key_type),
      value_type_(shape.value_type),
      memory_(memory_bytes(shape), "the key-value cache") {
    for (const HeadShape &shape_of_layer : shape.layers) {
        Layer layer;
        layer.key_page_bytes = cache_page_bytes(key_type_, shape_of_layer.head_length);
        layer.value_page_bytes = cache_page_bytes(value_type_, shape_of_layer.head_length);
        const size_t pages = size_t{shape_of_layer.head_count_kv} * page_count_;
        layer.keys = memory_.take<std::byte>(layer.key_page_bytes * pages).data();
        layer.values = memory_.take<std::byte>(layer.value_page_bytes * pages).data();
        layers_.push_back(layer);
    }
    sequences_.resize(shape.sequence_count);
    for (Sequence &sequence : sequences_) sequence.pages.reserve(pages_for(context_length_));
    for (uint32_t page = page_count_; page > 0; --page) free_pages_.push_back(page - 1);
}

bool KvCache::reserve(uint32_t sequence, uint32_t count) {
    Sequence &s = sequences_[sequence];
    if (count > context_length_ - s.length) return false;
    while (s.pages.size() < pages_for(s.length + count)) {
        s.pages.push_back(free_pages_.back());
        free_pages_.pop_back();
    }
    return true;
}

void KvCache::set_length(uint32_t sequence, uint32_t length) {
    Sequence &s = sequences_[sequence];
    s.length = length;
    while (s.pages.size() > pages_for(length)) {
        free_pages_.push_back(s.pages.back());
        s.pages.pop_back();
    }
}

}  // namespace llm
