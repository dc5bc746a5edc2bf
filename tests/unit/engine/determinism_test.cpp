// The same bits for every number of threads, every way to divide a text into calls and batches, every kernel tier, both
// load modes: on a small model of each tensor type, and with each type of cache.
#include "support/evaluation_ways.h"
#include "support/tiers.h"
#include "support/tiny_llama.h"
#include "support/typed_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace llm::test {

namespace {

constexpr size_t text_length = split_positions + page_positions + 15;  // over one split of attention, and many pages

std::shared_ptr<const Model> open(const std::vector<uint8_t> &bytes, const KernelTable *kernels,
                                  LoadMode load = LoadMode::packed) {
    return open_model(make_memory_source(bytes), kernels, load);
}

const WeightType &weight_type(TensorType type) {
    return *std::find_if(std::begin(weight_types), std::end(weight_types),
                         [type](const WeightType &candidate) { return candidate.type == type; });
}

// Everything for fast kernels. Small batches, which take their time, go through some pages of the text only if
// `short_text` says so.
std::vector<Way> all_ways(bool short_text) {
    std::vector<Way> ways;
    for (const uint32_t threads : thread_counts) {
        if (is_sanitized && threads != 3) continue;
        for (const uint32_t batch : batch_sizes) {
            const size_t token_count = short_text && batch < 31 ? page_positions + 6 : SIZE_MAX;
            ways.push_back({.threads = threads, .calls = {batch}, .token_count = token_count});
        }
        ways.push_back({.threads = threads, .calls = {std::begin(batch_sizes), std::end(batch_sizes)}});
    }
    // The same batches, cut by the context.
    for (const uint32_t batch : batch_sizes)
        ways.push_back({.threads = 2, .batch_size = batch, .token_count = short_text && batch < 31 ? 40u : SIZE_MAX});
    return ways;
}

// A choice for kernels that are slow: scalar ones, and those that pack the weights of a mapped file as they go.
std::vector<Way> some_ways() {
    return {{.threads = 2, .calls = {33, 1}, .token_count = 36},
            {.threads = 3, .calls = {8, 64}, .token_count = 73},
            {.threads = 1, .calls = {3}, .token_count = 7}};
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_tensor_type, EnoughThreads) {
    const auto text = random_text(tiny_llama_vocabulary_size, text_length);
    for (const WeightType &type : weight_types) {
        if (is_sanitized && type.type != TensorType::q4_k && type.type != TensorType::f16) continue;
        const auto bytes = typed_llama(type).bytes();
        const auto expected = row_hashes(open(bytes, tiers().back()), text, {});
        BOOST_TEST_CONTEXT("weights of type " << type.name) {
            for (const KernelTable *tier : tiers()) {
                const auto packed = open(bytes, tier);
                for (const Way &way : tier == tiers().front() ? some_ways() : all_ways(true))
                    check_way(packed, text, way, expected);
                const auto mapped = open(bytes, tier, LoadMode::mapped);
                for (const Way &way : some_ways()) check_way(mapped, text, way, expected);
            }
        }
    }
}

// Keys and values are computed with apart from each other, so each type is tried with itself and with one other.
BOOST_FIXTURE_TEST_CASE(every_cache_type, EnoughThreads) {
    const auto text = random_text(tiny_llama_vocabulary_size, text_length);
    const auto bytes = typed_llama(weight_type(TensorType::q4_0)).bytes();
    for (uint32_t pair = 0; pair < 2 * cache_type_slots; ++pair) {
        Way first{.keys = static_cast<CacheType>(pair / 2),
                  .values = static_cast<CacheType>((pair / 2 + pair % 2) % cache_type_slots)};
        const auto expected = row_hashes(open(bytes, tiers().back()), text, first);
        for (const KernelTable *tier : tiers()) {
            const auto model = open(bytes, tier);
            const bool is_slow = tier == tiers().front();
            for (Way way : is_slow ? std::vector<Way>{{.threads = 3, .calls = {533, 1, 8}}} : all_ways(false)) {
                way.keys = first.keys;
                way.values = first.values;
                check_way(model, text, way, expected);
            }
        }
    }
}

// The weights of both tests are of a size that lets every step matter: no two types give the same logits, and neither
// do two texts that differ in their first token only.
BOOST_AUTO_TEST_CASE(the_hashes_see_weights_and_past) {
    auto text = random_text(tiny_llama_vocabulary_size, page_positions + 6);
    std::vector<uint64_t> seen;
    for (const WeightType &type : weight_types) {
        const auto model = open(typed_llama(type).bytes(), tiers().back());
        for (const llm_token first : {1, 2}) {
            text[0] = first;
            seen.push_back(row_hashes(model, text, {}).back());
        }
    }
    std::sort(seen.begin(), seen.end());
    BOOST_TEST((std::adjacent_find(seen.begin(), seen.end()) == seen.end()));
}

BOOST_AUTO_TEST_CASE(only_wanted_logits_are_the_same_as_all) {
    const auto model = open(tiny_llama().bytes(), nullptr);
    const auto text = random_text(tiny_llama_vocabulary_size, 60);
    Context context(model, {.context_length = 128, .thread_count = 2});
    const auto last_row = [&] {
        const auto row = context.logits(context.logits_rows() - 1);
        return std::vector<float>(row.begin(), row.end());
    };
    context.evaluate(0, text, WantedLogits::all);
    const auto expected = last_row();
    context.truncate(0, 0);
    context.evaluate(0, text, WantedLogits::last);
    BOOST_TEST(last_row() == expected, boost::test_tools::per_element());
    // Without logits the cache is the same: what follows does not differ.
    context.truncate(0, 0);
    context.evaluate(0, std::span(text).first(59), WantedLogits::none);
    context.evaluate(0, std::span(text).last(1), WantedLogits::last);
    BOOST_TEST(last_row() == expected, boost::test_tools::per_element());
}

}  // namespace llm::test
