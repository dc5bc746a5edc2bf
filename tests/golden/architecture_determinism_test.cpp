// The tiny models of each architecture (shared/golden/arch) give the same bits with any number of threads, division of
// the text, kernel tier and load mode.
#include "base/error.h"
#include "support/evaluation_ways.h"
#include "support/test_data.h"
#include "support/tiers.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

namespace llm::test {

namespace {

std::shared_ptr<const Model> open(const std::string &path, const KernelTable *kernels,
                                  LoadMode load = LoadMode::packed) {
    return open_model(open_file_source(path), kernels, load);
}

// Models of architectures that this build can run.
std::vector<std::string> runnable_models(const std::filesystem::path &folder) {
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        if (!path.ends_with(".gguf") || path.ends_with(".golden.gguf")) continue;
        try {
            open(path, nullptr);
            paths.push_back(path);
        } catch (const Error &error) {
            BOOST_TEST(error.status() == LLM_ERROR_UNSUPPORTED, path << ": " << error.what());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_architecture, EnoughThreads) {
    if (!have_data("golden/arch")) return;
    const auto paths = runnable_models(data_folder() / "golden/arch");
    BOOST_TEST(!paths.empty());
    for (const std::string &path : paths) {
        BOOST_TEST_CONTEXT(path) {
            const auto best = open(path, tiers().back());
            const auto text = random_text(best->parameters().vocabulary_size, 150);
            const auto expected = row_hashes(best, text, {});
            for (const KernelTable *tier : tiers()) {
                const auto model = open(path, tier);
                check_way(model, text, {.threads = 3, .calls = {64, 33, 8}}, expected);
                check_way(model, text, {.threads = 2, .calls = {1}, .token_count = 80}, expected);
                check_way(open(path, tier, LoadMode::mapped), text, {.threads = 8, .calls = {16, 7}}, expected);
            }
        }
    }
}

}  // namespace llm::test
