// Copies the pages of a sequence out of the cache and back.
#include "base/aligned_buffer.h"
#include "model/kv_cache.h"

#include <algorithm>
#include <cstring>

namespace llm {

// Calls visit(layer, head, place of the page in the sequence, page) in the order of a saved state.
template <class Visit>
void KvCache::for_each_saved_page(uint32_t sequence, Visit visit) const {
    const uint32_t length = sequences_[sequence].length;
    for (uint32_t layer = 0; layer < layers_.size(); ++layer) {
        const PagePool &pool = pools_[layers_[layer].pool];
        for (uint32_t head = 0; head < layers_[layer].head_count_kv; ++head)
            for (uint32_t place = pool.first_page(length); place < pages_for(length); ++place)
                visit(layer, head, place, pool.list(sequence)[place]);
    }
}

uint64_t KvCache::saved_bytes(uint32_t length) const {
    uint64_t bytes = 0;
    for (const Layer &layer : layers_) {
        const uint64_t pages = pages_for(length) - pools_[layer.pool].first_page(length);
        bytes += pages * layer.head_count_kv * (layer.key_page_bytes + layer.value_page_bytes);
    }
    return bytes;
}

void KvCache::save(uint32_t sequence, std::span<uint8_t> out, const KernelTable &kernels) const {
    size_t most_bytes = 0, most_elements = 0;
    for (const Layer &layer : layers_) {
        most_bytes = std::max({most_bytes, layer.key_page_bytes, layer.value_page_bytes});
        most_elements = std::max<size_t>(most_elements, layer.head_length);
    }
    AlignedBuffer<std::byte> copy(most_bytes);
    const AlignedBuffer<float> zeros(most_elements);
    const uint32_t length = sequences_[sequence].length;
    uint8_t *to = out.data();
    for_each_saved_page(sequence, [&](uint32_t layer, uint32_t head, uint32_t place, uint32_t page) {
        const Layer &l = layers_[layer];
        const auto put = [&](const std::byte *from, size_t bytes, auto store) {
            std::memcpy(copy.data(), from, bytes);
            const uint32_t used = std::min(length - place * page_positions, page_positions);
            for (uint32_t position = used; position < page_positions; ++position)
                store(copy.data(), position, zeros.data(), l.head_length);
            std::memcpy(to, copy.data(), bytes);
            to += bytes;
        };
        put(key_page(layer, head, page), l.key_page_bytes, kernels.store_key[static_cast<uint32_t>(key_type_)]);
        put(value_page(layer, head, page), l.value_page_bytes, kernels.store_value[static_cast<uint32_t>(value_type_)]);
    });
}

void KvCache::restore(uint32_t sequence, uint32_t length, std::span<const uint8_t> bytes) {
    shorten(sequence, 0);
    for (PagePool &pool : pools_) pool.place(sequence, length);
    sequences_[sequence] = {length, length};
    const uint8_t *from = bytes.data();
    for_each_saved_page(sequence, [&](uint32_t layer, uint32_t head, uint32_t, uint32_t page) {
        const Layer &l = layers_[layer];
        std::memcpy(key_page(layer, head, page), from, l.key_page_bytes);
        from += l.key_page_bytes;
        std::memcpy(value_page(layer, head, page), from, l.value_page_bytes);
        from += l.value_page_bytes;
    });
}

}  // namespace llm
