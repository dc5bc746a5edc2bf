// Pages of the key-value cache: where they lie, and who has them.
#include "model/kv_cache.h"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <set>

namespace llm {

namespace {

const std::vector<HeadShape> layers = {{4, 2, 64}, {4, 1, 8}};

KvCacheShape shape(uint32_t context_length, uint32_t sequences) {
    return {layers, context_length, sequences, CacheType::f16, CacheType::f32};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_page_of_every_head_is_memory_of_its_own) {
    KvCache cache(shape(200, 2));
    BOOST_REQUIRE(cache.reserve(0, 200));
    BOOST_REQUIRE(cache.reserve(1, 200));
    uint8_t mark = 0;
    std::vector<std::pair<std::byte *, size_t>> pieces;
    for (uint32_t layer = 0; layer < layers.size(); ++layer)
        for (uint32_t head = 0; head < layers[layer].head_count_kv; ++head)
            for (const uint32_t sequence : {0u, 1u})
                for (const uint32_t page : cache.pages(sequence)) {
                    pieces.push_back({cache.key_page(layer, head, page), size_t{64} * layers[layer].head_length * 2});
                    pieces.push_back({cache.value_page(layer, head, page), size_t{64} * layers[layer].head_length * 4});
                }
    for (const auto &[memory, size] : pieces) std::memset(memory, ++mark, size);
    mark = 0;
    for (const auto &[memory, size] : pieces) {
        ++mark;
        const std::byte expected{mark};
        BOOST_TEST((memory[0] == expected && memory[size / 2] == expected && memory[size - 1] == expected));
    }
    BOOST_TEST(pieces.size() == 3u * 2 * 4 * 2);
}

BOOST_AUTO_TEST_CASE(a_sequence_holds_its_context_and_no_more) {
    KvCache cache(shape(100, 2));
    BOOST_TEST(!cache.reserve(0, 101));
    BOOST_TEST(cache.pages(0).empty());
    BOOST_TEST(cache.reserve(0, 100));
    BOOST_TEST(cache.length(0) == 0u);
    cache.set_length(0, 100);
    BOOST_TEST(!cache.reserve(0, 1));
    BOOST_TEST(cache.reserve(1, 100));
}

BOOST_AUTO_TEST_CASE(shortening_gives_pages_back) {
    KvCache cache(shape(256, 1));
    cache.reserve(0, 256);
    cache.set_length(0, 256);
    const std::vector<uint32_t> all(cache.pages(0).begin(), cache.pages(0).end());
    BOOST_TEST(std::set<uint32_t>(all.begin(), all.end()).size() == 4u);
    cache.set_length(0, 65);
    BOOST_TEST(cache.pages(0).size() == 2u);
    BOOST_TEST(cache.pages(0)[1] == all[1]);
    cache.set_length(0, 64);
    BOOST_TEST(cache.pages(0).size() == 1u);
    BOOST_TEST(cache.reserve(0, 192));
    BOOST_TEST(cache.pages(0).size() == 4u);
}

BOOST_AUTO_TEST_CASE(memory_is_what_was_announced) {
    // 4 pages of 64 positions for each of 2 sequences; 2 + 4 bytes for each element of 2 x 64 + 1 x 8.
    BOOST_TEST(KvCache::memory_bytes(shape(256, 2)) == 2u * 256 * 6 * (2 * 64 + 8));
}

}  // namespace llm
