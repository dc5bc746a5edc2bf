// What a real model takes: memory, and time until the first token. The first test must be the first, in a fresh
// process: the system keeps one highest value.
#include "support/session.h"
#include "support/test_data.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace llm::test {

namespace {

constexpr uint64_t mebibyte = uint64_t{1} << 20;

// The path of the model; nullptr, with the line that skips the test, when there is none.
const char *model_path() {
    const char *path = std::getenv("LLM_TEST_SMOLLM2");
    if (!path) std::printf("SKIPPED: LLM_TEST_SMOLLM2 does not name the model\n");
    return path;
}

// Largest resident memory so far, in bytes; 0 where the system does not tell.
uint64_t peak_resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    return 0;
}

std::vector<llm_token> some_tokens(size_t count) {
    std::vector<llm_token> tokens(count);
    for (size_t i = 0; i < count; ++i) tokens[i] = static_cast<llm_token>((i * 7919 + 11) % 20000);
    return tokens;
}

// Opens the file and evaluates a prompt, which gives the first token.
double seconds_to_first_token(const char *path) {
    const auto begin = std::chrono::steady_clock::now();
    const ModelPointer model = open_model(path);
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    arg_max(Session(model.get(), options).evaluate(some_tokens(5)));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

BOOST_AUTO_TEST_CASE(memory_is_the_file_the_cache_and_little_more) {
    const char *path = model_path();
    if (!path) return;
    const ModelPointer model = open_model(path);
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    Session session(model.get(), options);
    session.evaluate(some_tokens(600));  // more than a batch
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    check(llm_context_get_info(&info, session.get()));
    const uint64_t peak = peak_resident_bytes(), file = std::filesystem::file_size(path);
    if (peak == 0) return;
    std::printf("peak %.1f MiB: file %.1f, cache %.1f, scratch %.1f\n", double(peak) / mebibyte,
                double(file) / mebibyte, double(info.cache_bytes) / mebibyte, double(info.scratch_bytes) / mebibyte);
    BOOST_TEST(peak <= file + info.cache_bytes + 64 * mebibyte);
}

// Two cores of a server take less than a tenth of a second; the bound leaves room for slower and busier machines.
#ifdef __OPTIMIZE__
BOOST_AUTO_TEST_CASE(the_first_token_comes_soon) {
    const char *path = model_path();
    if (!path) return;
    double best = seconds_to_first_token(path);
    for (int i = 0; i < 4; ++i) best = std::min(best, seconds_to_first_token(path));
    std::printf("first token after %.3f s\n", best);
    BOOST_TEST(best <= 1.0);
}
#endif

}  // namespace llm::test
