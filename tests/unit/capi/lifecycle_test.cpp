// The lives of handles: closed in any order, twice, by several threads, used afterwards, and many times over.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <unistd.h>

namespace llm::test {

namespace {

const std::vector<uint8_t> &model_bytes() {
    static const std::vector<uint8_t> bytes = tiny_llama().bytes();
    return bytes;
}

// One object of each kind, which the test closes.
struct Objects {
    llm_model *model = nullptr;
    llm_context *context = nullptr;
    llm_sampler *sampler = nullptr;
    llm_generation *generation = nullptr;

    Objects() {
        const llm_context_options options = precise_options(64);
        const llm_token prompt[] = {65, 66, 67};
        check(llm_model_open_memory(&model, model_bytes().data(), model_bytes().size(), nullptr));
        check(llm_context_new(&context, model, &options));
        check(llm_sampler_new(&sampler, nullptr));
        check(llm_generation_start(&generation, context, sampler, prompt, 3, nullptr));
    }

    static constexpr int count = 4;
    void close(int which) const {
        if (which == 0) llm_model_close(model);
        if (which == 1) llm_context_close(context);
        if (which == 2) llm_sampler_close(sampler);
        if (which == 3) llm_generation_close(generation);
    }

    // What a call with the object gives.
    llm_status use(int which) const {
        llm_model_info info = LLM_MODEL_INFO_INIT;
        llm_chunk chunk = LLM_CHUNK_INIT;
        size_t length = 0;
        if (which == 0) return llm_model_get_info(&info, model);
        if (which == 1) return llm_sequence_length(&length, context, 0);
        if (which == 2) return llm_sampler_reset(sampler);
        return llm_generation_next(&chunk, generation);
    }
};

size_t resident_bytes() {
    size_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

// What is lost in a round is lost in every window; a thread that starts late, or a heap that grows, shows in one. On a
// busy machine oneTBB keeps some KiB of each team for a while.
BOOST_AUTO_TEST_CASE(two_hundred_lives_in_the_same_memory) {
    constexpr int rounds = 200, window = 50;
    size_t before = 0, least_growth = SIZE_MAX;
    for (int round = 0; round <= rounds; ++round) {
        if (round % window == 0) {
            const size_t now = resident_bytes();
            if (round > 0) least_growth = std::min(least_growth, now > before ? now - before : 0);
            before = now;
        }
        const Objects objects;
        for (int i = 0; i < Objects::count; ++i) BOOST_TEST(objects.use(i) == LLM_OK);
        for (int i = 0; i < Objects::count; ++i) objects.close((i + round) % Objects::count);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep freed memory, or shadows of it
    BOOST_TEST(least_growth < size_t{1} << 20);
#endif
}

BOOST_AUTO_TEST_CASE(every_order_of_closing) {
    std::array<int, Objects::count> order = {0, 1, 2, 3};
    do {
        const Objects objects;
        std::array<bool, Objects::count> open = {true, true, true, true};
        for (const int closed : order) {
            objects.close(closed);
            open[closed] = false;
            for (int i = 0; i < Objects::count; ++i)
                BOOST_TEST(objects.use(i) == (open[i] ? LLM_OK : LLM_ERROR_ARGUMENT), i << " after " << closed);
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(closing_twice_does_nothing) {
    const Objects first;
    for (int i = 0; i < Objects::count; ++i) first.close(i);
    const Objects second;  // in the places of the first
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < Objects::count; ++i) {
            first.close(i);
            BOOST_TEST(first.use(i) == LLM_ERROR_ARGUMENT);
            BOOST_TEST(last_error().find("is not open") != std::string::npos, last_error());
            BOOST_TEST(second.use(i) == LLM_OK);
        }
    for (int i = 0; i < Objects::count; ++i) second.close(i);
}

BOOST_AUTO_TEST_CASE(closing_what_is_not_open_is_logged) {
    static std::atomic<int> lines;
    lines = 0;
    const auto count = [](void *, llm_log_level level, const char *, size_t) { lines += level == LLM_LOG_WARNING; };
    check(llm_log_set(count, nullptr, LLM_LOG_WARNING));
    const Objects objects;
    for (int i = 0; i < Objects::count; ++i) objects.close(i);
    BOOST_TEST(lines == 0);
    for (int i = 0; i < Objects::count; ++i) objects.close(i);
    check(llm_log_set(nullptr, nullptr, LLM_LOG_WARNING));
    BOOST_TEST(lines == Objects::count);
}

BOOST_AUTO_TEST_CASE(a_model_is_closed_as_often_as_it_was_retained) {
    const Objects objects;
    BOOST_TEST(llm_model_retain(objects.model) == objects.model);
    BOOST_TEST(llm_model_retain(objects.model) == objects.model);
    for (const llm_status expected : {LLM_OK, LLM_OK, LLM_ERROR_ARGUMENT}) {
        llm_model_close(objects.model);
        BOOST_TEST(objects.use(0) == expected);
    }
    llm_model_retain(objects.model);  // cannot bring it back
    BOOST_TEST(objects.use(0) == LLM_ERROR_ARGUMENT);
    for (int i = 1; i < Objects::count; ++i) objects.close(i);
}

BOOST_AUTO_TEST_CASE(more_handles_than_one_block_holds) {
    std::vector<llm_sampler *> samplers(1000);
    for (llm_sampler *&sampler : samplers) check(llm_sampler_new(&sampler, nullptr));
    std::vector<llm_sampler *> sorted = samplers;
    std::sort(sorted.begin(), sorted.end());
    BOOST_TEST((std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()));
    for (size_t i = 0; i < samplers.size(); i += 2) llm_sampler_close(samplers[i]);
    for (size_t i = 0; i < samplers.size(); ++i)
        BOOST_TEST(llm_sampler_reset(samplers[i]) == (i % 2 ? LLM_OK : LLM_ERROR_ARGUMENT));
    for (size_t i = 1; i < samplers.size(); i += 2) llm_sampler_close(samplers[i]);
}

// A call that is running keeps what it uses; only later calls find the object closed.
BOOST_AUTO_TEST_CASE(closed_while_other_threads_use_it) {
    constexpr int rounds = 20;
    std::atomic<int> unexpected{0}, refused{0};
    for (int round = 0; round < rounds; ++round) {
        const Objects objects;
        std::atomic<int> started{0};
        const auto use_until_refused = [&](int which) {
            ++started;
            llm_status status = LLM_OK;
            while (status == LLM_OK || status == LLM_END || status == LLM_ERROR_BUSY) status = objects.use(which);
            status == LLM_ERROR_ARGUMENT ? ++refused : ++unexpected;
        };
        std::vector<std::thread> users;
        for (int i = 0; i < Objects::count; ++i) users.emplace_back(use_until_refused, i);
        while (started < Objects::count) std::this_thread::yield();
        std::thread second([&] {
            for (int i = 0; i < Objects::count; ++i) objects.close(i);
        });
        for (int i = Objects::count - 1; i >= 0; --i) objects.close(i);
        second.join();
        for (std::thread &user : users) user.join();
    }
    BOOST_TEST(unexpected == 0);
    BOOST_TEST(refused == rounds * Objects::count);
}

}  // namespace llm::test
