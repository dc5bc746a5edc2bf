// Evaluation in hosts that have threads of their own, with and without oneTBB. The results are checked, and under
// ThreadSanitizer (see .ci/run) every access.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <thread>

namespace llm::test {

namespace {

constexpr int32_t thread_counts[] = {1, 2, 3, 8};

// oneTBB may have as many threads as the largest team wants, on a machine with fewer CPUs, too.
struct Fixture {
    tbb::global_control control{tbb::global_control::max_allowed_parallelism, 8};
    std::vector<uint8_t> bytes = tiny_llama().bytes();
    ModelPointer model = open_model(bytes);
    std::vector<llm_token> text = std::vector<llm_token>(70);  // over one page of the cache
    std::vector<float> expected;                               // after the text

    Fixture() {
        for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<llm_token>(i * 37 % 256);
        expected = Session(model.get(), precise_options(128, 1)).evaluate(text);
    }

    // Whether the text, and its last tokens one by one, give what is expected.
    bool evaluates(llm_model *with, int32_t threads) const {
        Session session(with, precise_options(128, threads));
        if (session.evaluate(text) != expected) return false;
        check(llm_sequence_truncate(session.get(), 0, text.size() - 5));
        std::vector<float> row;
        for (size_t i = text.size() - 5; i < text.size(); ++i) row = session.evaluate(std::span(text).subspan(i, 1));
        return row == expected;
    }
};

// Runs `call` in that many threads at once; the number of those in which it did not return true.
template <class Call>
int failures_in_threads(int thread_count, Call call) {
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i)
        threads.emplace_back([&failures, &call, i] {
            try {
                if (!call(i)) ++failures;
            } catch (const std::exception &) {
                ++failures;
            }
        });
    for (std::thread &thread : threads) thread.join();
    return failures;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(any_number_of_threads, Fixture) {
    for (const int32_t threads : thread_counts) BOOST_TEST(evaluates(model.get(), threads), threads << " threads");
}

BOOST_FIXTURE_TEST_CASE(contexts_of_one_model_in_several_threads, Fixture) {
    for (int round = 0; round < 3; ++round)
        BOOST_TEST(failures_in_threads(4, [&](int i) { return evaluates(model.get(), thread_counts[i]); }) == 0);
}

BOOST_FIXTURE_TEST_CASE(models_opened_and_closed_in_several_threads, Fixture) {
    const auto open_and_evaluate = [&](int i) {
        llm_model_options options = LLM_MODEL_OPTIONS_INIT;
        options.threads = thread_counts[i];
        options.load = i % 2 == 0 ? LLM_LOAD_PACKED : LLM_LOAD_MAPPED;
        const ModelPointer own = open_model(bytes, &options);
        return evaluates(own.get(), 2);
    };
    BOOST_TEST(failures_in_threads(4, open_and_evaluate) == 0);
}

// A model, and all that is made from it, may be used by one thread and closed by another.
BOOST_FIXTURE_TEST_CASE(handed_from_thread_to_thread, Fixture) {
    Session session(model.get(), precise_options(128, 3));
    const auto evaluate = [&](int) {
        session.clear();
        return session.evaluate(text) == expected;
    };
    for (int round = 0; round < 4; ++round) BOOST_TEST(failures_in_threads(1, evaluate) == 0);
    std::thread([&] { model.reset(); }).join();
    BOOST_TEST(evaluate(0));
}

BOOST_FIXTURE_TEST_CASE(cancelled_from_another_thread, Fixture) {
    Session session(model.get(), precise_options(128, 3));
    std::atomic<bool> over{false};
    std::thread canceller([&] {
        for (int i = 0; !over; ++i) {
            llm_cancel(session.get());
            std::this_thread::sleep_for(std::chrono::microseconds(i % 7 * 300));
        }
    });
    int cancelled = 0;
    for (int round = 0; round < 100; ++round) {
        const llm_status status = llm_eval(session.get(), 0, text.data(), text.size(), 0);
        BOOST_REQUIRE((status == LLM_OK || status == LLM_CANCELLED));
        cancelled += status == LLM_CANCELLED;
        size_t length = 0;
        check(llm_sequence_length(&length, session.get(), 0));
        BOOST_TEST(length == (status == LLM_OK ? text.size() : 0u));
        session.clear();
    }
    over = true;
    canceller.join();
    BOOST_TEST(cancelled > 0);
    llm_cancel(session.get());  // takes back nothing that follows the next evaluation
    BOOST_TEST(llm_eval(session.get(), 0, text.data(), text.size(), 0) == LLM_CANCELLED);
    BOOST_TEST((session.evaluate(text) == expected));
}

BOOST_FIXTURE_TEST_CASE(inside_an_arena_of_the_host, Fixture) {
    for (const int concurrency : {1, 2, 4}) {
        tbb::task_arena arena(concurrency);
        for (const int32_t threads : thread_counts)
            arena.execute([&] { BOOST_TEST(evaluates(model.get(), threads), concurrency << ' ' << threads); });
    }
}

BOOST_FIXTURE_TEST_CASE(while_the_host_allows_one_thread, Fixture) {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    tbb::task_arena arena(1);
    for (const int32_t threads : thread_counts)
        arena.execute([&] { BOOST_TEST(evaluates(model.get(), threads), threads << " threads"); });
}

// ThreadSanitizer does not see how oneTBB hands over the tasks of this host.
#ifndef __SANITIZE_THREAD__
BOOST_FIXTURE_TEST_CASE(inside_a_parallel_for, Fixture) {
    std::atomic<int> failures{0};
    tbb::parallel_for(0, 12, [&](int i) {
        if (!evaluates(model.get(), thread_counts[i % 4])) ++failures;
    });
    BOOST_TEST(failures == 0);
}
#endif

}  // namespace llm::test
