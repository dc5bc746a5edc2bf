// An embedding has the same bits with any number of threads, kernel tier, batch size and load mode.
#include "engine/context.h"
#include "support/evaluation_ways.h"
#include "support/tiers.h"
#include "support/tiny_bert.h"

#include <boost/test/unit_test.hpp>

namespace llm::test {

namespace {

std::shared_ptr<const Model> open_tiny_bert(const std::vector<uint8_t> &bytes, const KernelTable *kernels,
                                            LoadMode load) {
    return open_model(make_memory_source(bytes), kernels, load);
}

std::vector<float> embedding(const std::shared_ptr<const Model> &model, uint32_t threads, uint32_t batch_size,
                             CacheType cache, std::span<const llm_token> text, Pooling pooling) {
    Context context(model, {.batch_size = batch_size, .thread_count = threads, .key_type = cache, .value_type = cache});
    BOOST_REQUIRE(context.embed(text, pooling, true));
    return {context.embedding().begin(), context.embedding().end()};
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(threads_tiers_batches_and_load_modes_give_the_same_bits, EnoughThreads) {
    const std::vector<uint8_t> bytes = tiny_bert().bytes();
    const auto text = random_text(tiny_bert_vocabulary_size, tiny_bert_positions);
    const auto best = open_tiny_bert(bytes, tiers().back(), LoadMode::packed);
    for (const size_t length : {1u, 2u, 15u, 16u, 33u, 200u, 513u, 600u})
        for (const CacheType cache : {CacheType::q16, CacheType::f16, CacheType::f32}) {
            const std::span input = std::span(text).first(length);
            const auto all = embedding(best, 1, 0, cache, input, Pooling::none);
            const auto mean = embedding(best, 1, 0, cache, input, Pooling::mean);
            for (const KernelTable *tier : tiers())
                for (const LoadMode load : {LoadMode::packed, LoadMode::mapped}) {
                    const auto model = open_tiny_bert(bytes, tier, load);
                    for (const uint32_t threads : thread_counts)
                        BOOST_TEST((embedding(model, threads, 0, cache, input, Pooling::none) == all));
                    BOOST_TEST(
                        (embedding(model, 2, static_cast<uint32_t>(length), cache, input, Pooling::mean) == mean));
                }
        }
}

}  // namespace llm::test
