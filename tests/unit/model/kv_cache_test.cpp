// Pages of the key-value cache: where they lie, who has them, and what they hold.
#include "model/kv_cache.h"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <random>
#include <set>

namespace llm {

namespace {

constexpr uint64_t too_large = UINT64_MAX;

KvCacheShape shape(uint32_t context_length, uint32_t sequences) {
    return {{{{4, 2, 64}}, {{4, 1, 8}}}, context_length, sequences, 512, CacheType::f16, CacheType::f32};
}

void append(KvCache &cache, uint32_t sequence, uint32_t count) {
    cache.extend(sequence, count);
    cache.commit(sequence);
}

std::vector<uint32_t> pages_of(const KvCache &cache, uint32_t layer, uint32_t sequence) {
    const PageList &list = cache.pages(layer, sequence);
    std::vector<uint32_t> pages;
    for (uint32_t page = list.begin(); page < list.end(); ++page) pages.push_back(list[page]);
    return pages;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_page_of_every_head_is_memory_of_its_own) {
    const KvCacheShape two = shape(200, 2);
    KvCache cache(two);
    append(cache, 0, 200);
    append(cache, 1, 200);
    uint8_t mark = 0;
    std::vector<std::pair<std::byte *, size_t>> pieces;
    for (uint32_t layer = 0; layer < two.layers.size(); ++layer) {
        const HeadShape &heads = two.layers[layer].heads;
        for (uint32_t head = 0; head < heads.head_count_kv; ++head)
            for (const uint32_t sequence : {0u, 1u})
                for (const uint32_t page : pages_of(cache, layer, sequence)) {
                    pieces.push_back({cache.key_page(layer, head, page), size_t{64} * heads.head_length * 2});
                    pieces.push_back({cache.value_page(layer, head, page), size_t{64} * heads.head_length * 4});
                }
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

BOOST_AUTO_TEST_CASE(a_sequence_holds_its_context) {
    KvCache cache(shape(100, 2));
    cache.extend(0, 100);
    BOOST_TEST(cache.length(0) == 0u);
    cache.commit(0);
    BOOST_TEST(cache.length(0) == 100u);
    append(cache, 1, 100);
    BOOST_TEST(cache.length(1) == 100u);
}

BOOST_AUTO_TEST_CASE(shortening_gives_pages_back) {
    KvCache cache(shape(256, 1));
    append(cache, 0, 256);
    const std::vector<uint32_t> all = pages_of(cache, 0, 0);
    BOOST_TEST(std::set<uint32_t>(all.begin(), all.end()).size() == 4u);
    cache.shorten(0, 65);
    BOOST_TEST(pages_of(cache, 0, 0).size() == 2u);
    BOOST_TEST(pages_of(cache, 0, 0)[1] == all[1]);
    cache.shorten(0, 64);
    BOOST_TEST(pages_of(cache, 0, 0).size() == 1u);
    cache.extend(0, 192);
    BOOST_TEST(pages_of(cache, 0, 0).size() == 4u);
    cache.roll_back(0);
    BOOST_TEST(pages_of(cache, 0, 0).size() == 1u);
    BOOST_TEST(cache.length(0) == 64u);
}

BOOST_AUTO_TEST_CASE(memory_is_what_was_announced) {
    // 4 pages of 64 positions for each of 2 sequences; 2 + 4 bytes for each element of 2 x 64 + 1 x 8.
    BOOST_TEST(KvCache::memory_bytes(shape(256, 2)) == 2u * 256 * 6 * (2 * 64 + 8));
}

// Gemma 3 with 270 million parameters: 18 layers, every sixth of which sees all; a key-value head of 256 elements.
BOOST_AUTO_TEST_CASE(layers_with_a_window_take_memory_for_the_window) {
    KvCacheShape gemma{{}, 32768, 1, 512, CacheType::f16, CacheType::f16};
    for (uint32_t layer = 0; layer < 18; ++layer) gemma.layers.push_back({{4, 1, 256}, layer % 6 == 5 ? 0u : 512u});
    const uint64_t page_bytes = 2 * 64 * 256 * 2;
    // 511 positions before a token and 512 for a batch touch at most 17 pages; twice that for each layer.
    BOOST_TEST(KvCache::memory_bytes(gemma) == (3 * 512 + 15 * 2 * 17) * page_bytes);
    for (CacheLayer &layer : gemma.layers) layer.window = 0;
    BOOST_TEST(KvCache::memory_bytes(gemma) == 18 * 512 * page_bytes);
    // A ring that would be larger than everything is none.
    for (CacheLayer &layer : gemma.layers) layer.window = 16384;
    BOOST_TEST(KvCache::memory_bytes(gemma) == 18 * 512 * page_bytes);
}

BOOST_AUTO_TEST_CASE(absurd_sizes_do_not_wrap) {
    for (const uint32_t window : {0u, 5u, UINT32_MAX}) {
        KvCacheShape absurd{{{{1, UINT32_MAX, UINT32_MAX}, window}},
                            UINT32_MAX,
                            UINT32_MAX,
                            UINT32_MAX,
                            CacheType::f32,
                            CacheType::f32};
        BOOST_TEST(KvCache::memory_bytes(absurd) == too_large);
        absurd.sequence_count = 1;
        BOOST_TEST(KvCache::memory_bytes(absurd) == too_large);
        absurd.layers.assign(1000, {{1, 1 << 20, 512}, window});
        BOOST_TEST(KvCache::memory_bytes(absurd) >= uint64_t{1000} * UINT32_MAX * (1 << 20));
    }
}

// ---- Contents -----------------------------------------------------------------------------------------------------

namespace {

// A cache beside the plain texts of its sequences. A position is filled with a byte that its text and place choose.
class Histories {
public:
    explicit Histories(uint32_t seed)
        : cache_({layers(), context_length, sequences, batch_size, CacheType::f32, CacheType::f32}), random_(seed) {}

    static constexpr uint32_t context_length = 1500, sequences = 3, batch_size = 40;
    static constexpr uint32_t windows[] = {0, 1, 64, 100, 201};

    void step() {
        const uint32_t sequence = below(sequences);
        switch (below(8)) {
            case 0:
                return shorten(sequence);
            case 1:
                return fork(sequence, (sequence + 1 + below(sequences - 1)) % sequences);
            default:
                return call(sequence);
        }
    }

    // What the next token of each sequence would read.
    void check() const {
        for (uint32_t sequence = 0; sequence < sequences; ++sequence) {
            BOOST_REQUIRE(cache_.length(sequence) == texts_[sequence].size());
            for (uint32_t layer = 0; layer < std::size(windows); ++layer) check_visible(layer, sequence);
        }
    }

    uint32_t shortened = 0, refused = 0, rolled_back = 0;

private:
    static std::vector<CacheLayer> layers() {
        std::vector<CacheLayer> list;
        for (const uint32_t window : windows) list.push_back({{1, 1, 8}, window});
        return list;
    }

    uint32_t below(uint32_t limit) { return random_() % limit; }

    std::byte &place(uint32_t layer, uint32_t sequence, uint32_t position) const {
        const uint32_t page = cache_.pages(layer, sequence)[position / page_positions];
        return cache_.value_page(layer, 0, page)[position % page_positions];
    }

    void check_visible(uint32_t layer, uint32_t sequence) const {
        const std::vector<std::byte> &text = texts_[sequence];
        const auto length = static_cast<uint32_t>(text.size());
        const uint32_t window = windows[layer];
        const uint32_t first = window == 0 || length < window ? 0 : length - window + 1;
        uint32_t wrong = 0;
        for (uint32_t position = first; position < length; ++position)
            wrong += place(layer, sequence, position) != text[position];
        BOOST_REQUIRE_MESSAGE(wrong == 0, wrong << " of " << length - first << " positions are wrong");
    }

    // A call of several batches, which succeeds or not.
    void call(uint32_t sequence) {
        const std::vector<std::byte> before = texts_[sequence];
        const uint32_t room = context_length - static_cast<uint32_t>(before.size());
        uint32_t left = std::min(room, below(3) == 0 ? below(600) : below(5));
        while (left > 0) {
            const uint32_t count = std::min(left, 1 + below(batch_size));
            piece(sequence, count);
            left -= count;
        }
        if (below(3) != 0) return cache_.commit(sequence);
        cache_.roll_back(sequence);
        texts_[sequence] = before;
        ++rolled_back;
    }

    void piece(uint32_t sequence, uint32_t count) {
        cache_.extend(sequence, count);
        std::vector<std::byte> &text = texts_[sequence];
        for (uint32_t i = 0; i < count; ++i) {
            text.push_back(std::byte(random_()));
            for (uint32_t layer = 0; layer < std::size(windows); ++layer) {
                place(layer, sequence, static_cast<uint32_t>(text.size()) - 1) = text.back();
                if (i == 0 || i + 1 == count) check_visible(layer, sequence);
            }
        }
    }

    void shorten(uint32_t sequence) {
        const auto length = static_cast<uint32_t>(texts_[sequence].size());
        const uint32_t shortest = cache_.shortest_length(sequence);
        BOOST_REQUIRE(shortest <= length);
        uint32_t wanted = below(20) == 0 ? 0 : length - below(length + 1);
        if (wanted < shortest) {
            ++refused;
            wanted = shortest;
        }
        cache_.shorten(sequence, wanted);
        texts_[sequence].resize(wanted);
        ++shortened;
    }

    void fork(uint32_t from, uint32_t to) {
        cache_.fork(from, to);
        texts_[to] = texts_[from];
        for (uint32_t layer = 0; layer < std::size(windows); ++layer)
            BOOST_REQUIRE(pages_of(cache_, layer, from) == pages_of(cache_, layer, to));
    }

    KvCache cache_;
    std::vector<std::byte> texts_[sequences];
    std::mt19937 random_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_token_finds_what_it_sees) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
        Histories model(seed);
        for (int step = 0; step < 300; ++step) {
            BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) {
                model.step();
                model.check();
            }
        }
        BOOST_TEST(model.shortened > 0u);
        BOOST_TEST(model.refused > 0u);
        BOOST_TEST(model.rolled_back > 0u);
    }
}

BOOST_AUTO_TEST_CASE(a_shared_page_is_copied_by_the_first_who_writes_it) {
    KvCache cache(shape(128, 3));
    append(cache, 0, 70);
    const std::vector<uint32_t> shared = pages_of(cache, 1, 0);
    std::memset(cache.key_page(1, 0, shared[1]), 77, 64 * 8 * 2);
    cache.fork(0, 1);
    cache.fork(1, 2);
    cache.extend(1, 1);
    const std::vector<uint32_t> own = pages_of(cache, 1, 1);
    BOOST_TEST(own[0] == shared[0]);
    BOOST_TEST(own[1] != shared[1]);
    BOOST_TEST(std::memcmp(cache.key_page(1, 0, own[1]), cache.key_page(1, 0, shared[1]), 64 * 8 * 2) == 0);
    cache.roll_back(1);
    cache.extend(1, 10);
    BOOST_TEST(pages_of(cache, 1, 1) == own, boost::test_tools::per_element());
    cache.shorten(2, 0);
    cache.extend(0, 1);  // alone again
    BOOST_TEST(pages_of(cache, 1, 0) == shared, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_batch_can_always_be_taken_back) {
    constexpr uint32_t batch = 64;
    KvCache cache({{{{1, 1, 8}, 130}}, 4096, 1, batch, CacheType::f16, CacheType::f16});
    for (uint32_t length = batch; length <= 4096; length += batch) {
        append(cache, 0, batch);
        BOOST_TEST(cache.shortest_length(0) <= length - batch);
    }
    BOOST_TEST(cache.shortest_length(0) > 3800u);
}

}  // namespace llm
