// SmolLM2-135M in Q4_1 gives the same bits with any number of threads, division of the text and kernel tier.
#include "support/evaluation_ways.h"
#include "support/tiers.h"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace llm::test {

namespace {

std::shared_ptr<const Model> open(const std::string &path, const KernelTable *kernels,
                                  LoadMode load = LoadMode::packed) {
    return open_model(open_file_source(path), kernels, load);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(ways_give_the_same_bits, EnoughThreads) {
    const char *path = std::getenv("LLM_TEST_SMOLLM2");
    if (!path) {
        std::printf("SKIPPED: LLM_TEST_SMOLLM2 does not name the model\n");
        return;
    }
    const auto best = open(path, tiers().back());
    const auto text = random_text(best->parameters().vocabulary_size, split_positions + 20);
    const auto expected = row_hashes(best, text, {});
    for (const KernelTable *tier : tiers()) {
        const bool is_slow = tier == tiers().front();
        const auto model = open(path, tier);
        std::vector<Way> ways{{.threads = 3, .calls = {3, 1, 8}, .token_count = 12}};
        if (!is_slow) {
            for (const uint32_t threads : thread_counts) ways.push_back({.threads = threads, .calls = {512}});
            ways.push_back({.threads = 2, .calls = {31, 33, 32, 64, 7, 8}});
            ways.push_back({.threads = 8, .calls = {2}, .token_count = 40});
        }
        if (tier == tiers().back()) ways.push_back({.threads = 2, .calls = {1}});
        for (const Way &way : ways) check_way(model, text, way, expected);
    }
    check_way(open(path, tiers().back(), LoadMode::mapped), text, {.threads = 2, .token_count = 64}, expected);
}

}  // namespace llm::test
