// Layers with a sliding window keep the window only, and nobody can tell from the results.
#include "base/error.h"
#include "support/evaluation_ways.h"
#include "support/tiers.h"
#include "support/tiny_gemma2.h"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

namespace llm::test {

namespace {

constexpr uint32_t window = 70, batch_size = 40, text_length = 700;

struct Fixture {
    std::vector<uint8_t> bytes = tiny_gemma2(window).bytes();
    std::shared_ptr<const Model> model = open_model(make_memory_source(bytes), nullptr);
    std::vector<llm_token> text = random_text(model->parameters().vocabulary_size, text_length);
    std::vector<uint64_t> expected = row_hashes(model, text, {.keeps_all = true});

    Context context(bool keeps_all = false) const {
        return Context(model, {.context_length = text_length,
                               .batch_size = batch_size,
                               .thread_count = 2,
                               .key_type = CacheType::f16,
                               .value_type = CacheType::f16,
                               .keeps_all = keeps_all});
    }

    std::span<const llm_token> part(uint32_t begin, uint32_t end) const {
        return std::span(text).subspan(begin, end - begin);
    }

    // Evaluates text up to `end` and checks the logits.
    void go_on(Context &context, uint32_t end) const {
        const uint32_t begin = context.length(0);
        BOOST_REQUIRE(context.evaluate(0, part(begin, end), WantedLogits::all));
        for (uint32_t row = 0; row < end - begin; ++row)
            BOOST_REQUIRE(row_hash(context.logits(row)) == expected[begin + row]);
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(memory_is_smaller, Fixture) {
    BOOST_TEST(context().cache_bytes() < context(true).cache_bytes());
}

BOOST_FIXTURE_TEST_CASE(same_bits_at_every_length, Fixture) {
    for (const uint32_t first : {1u, window - 1, window, window + 1, 2 * window - 1, 2 * window, 2 * window + 1, 600u})
        for (const uint32_t step : {1u, 3u, 39u, 40u, 41u, 64u, 333u}) {
            Context ring = context();
            go_on(ring, first);
            for (uint32_t end = first; end < text_length && end < first + 5 * step;) {
                end = std::min(end + step, text_length);
                go_on(ring, end);
            }
        }
}

BOOST_FIXTURE_TEST_CASE(same_bits_in_every_way, Fixture) {
    for (uint32_t type = 0; type < cache_type_slots; ++type) {
        Way way{.keys = static_cast<CacheType>(type), .values = static_cast<CacheType>(type), .keeps_all = true};
        const auto full = row_hashes(model, text, way);
        way.keeps_all = false;
        for (const KernelTable *tier : tiers()) {
            const auto other = open_model(make_memory_source(bytes), tier);
            for (const uint32_t batch : {1u, 7u, 40u, 64u}) {
                if (is_sanitized && batch != 7) continue;
                way.batch_size = batch;
                way.threads = 1 + batch % 3;
                way.calls = {};
                check_way(other, text, way, full);
                way.calls = {100, 1, 1, 77, 3};
                check_way(other, text, way, full);
            }
        }
    }
}

BOOST_FIXTURE_TEST_CASE(shortening_works_as_far_as_the_window_is_there, Fixture) {
    Context ring = context();
    go_on(ring, 500);
    ring.truncate(0, 500 - batch_size);
    go_on(ring, 500);
    uint32_t shortest = 0;
    for (uint32_t length = 1; length < 500; ++length) {
        try {
            ring.truncate(0, length);
            shortest = length;
            break;
        } catch (const Error &error) {
            BOOST_REQUIRE(error.status() == LLM_ERROR_STATE);
            BOOST_REQUIRE(ring.length(0) == 500u);
        }
    }
    BOOST_TEST(shortest > window);
    BOOST_TEST(shortest <= 500 - batch_size);
    go_on(ring, 620);  // from there on
    try {
        ring.truncate(0, 100);
        BOOST_ERROR("the window of position 100 is gone");
    } catch (const Error &error) {
        BOOST_TEST(std::string(error.what()).find("to 0") != std::string::npos);
    }
    go_on(ring, text_length);
    ring.truncate(0, 0);
    go_on(ring, text_length);
    Context full = context(true);
    go_on(full, 500);
    full.truncate(0, 1);
    go_on(full, text_length);
}

// Whenever the call ends, all of its sequence is there: also when it is cancelled after many batches. On a busy machine
// the other thread is often too late.
BOOST_FIXTURE_TEST_CASE(a_cancelled_call_changes_nothing, Fixture) {
    constexpr uint32_t attempts = 30, most_attempts = 1000;
    uint32_t cancelled = 0;
    for (uint32_t attempt = 0; attempt < attempts || (cancelled == 0 && attempt < most_attempts); ++attempt) {
        Context ring = context();
        const uint32_t length = 150 + attempt % attempts;
        go_on(ring, length);
        const auto other = random_text(200, 500);
        std::atomic<bool> begun = false;
        std::thread canceller([&] {
            while (!begun) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::microseconds(100 * (attempt % attempts)));
            ring.cancel();
        });
        begun = true;
        const bool done = ring.evaluate(0, other, WantedLogits::last);
        canceller.join();
        if (done) continue;
        ++cancelled;
        BOOST_TEST(ring.length(0) == length);
        ring.truncate(0, length - batch_size);  // which was possible before
        go_on(ring, text_length);
    }
    BOOST_TEST(cancelled > 0u);
}

}  // namespace llm::test
