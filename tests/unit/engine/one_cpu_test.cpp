// A process that may run on one CPU only, as in a container with a quota of one: whoever asks for eight threads gets
// the same logits, and waits little longer.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <oneapi/tbb/global_control.h>
#include <sched.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

namespace llm::test {

namespace {

constexpr double largest_slowdown = 20.0;

// Before any thread is started, so that all inherit it.
struct OneCpu {
    OneCpu() {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        BOOST_REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    }
};

struct Run {
    std::vector<float> logits;  // of all tokens, first evaluated at once, then one by one
    double seconds = std::numeric_limits<double>::infinity();
};

// The fastest of several.
Run evaluate(llm_model *model, int32_t threads) {
    std::vector<llm_token> text(40);
    for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<llm_token>(i * 37 % 256);
    Session session(model, precise_options(64, threads));
    Run run;
    for (int repetition = 0; repetition < 5; ++repetition) {
        session.clear();
        const auto begin = std::chrono::steady_clock::now();
        run.logits = session.evaluate_all(text);
        session.clear();
        for (const llm_token &token : text) {
            const auto row = session.evaluate(std::span(&token, 1));
            run.logits.insert(run.logits.end(), row.begin(), row.end());
        }
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        run.seconds = std::min(run.seconds, taken.count());
    }
    return run;
}

void compare_with_one_thread() {
    const ModelPointer model = open_model(tiny_llama().bytes());
    const Run alone = evaluate(model.get(), 1);
    const Run crowded = evaluate(model.get(), 8);
    std::printf("one thread %.2f ms, eight %.2f ms\n", 1e3 * alone.seconds, 1e3 * crowded.seconds);
    BOOST_TEST(crowded.logits == alone.logits, boost::test_tools::per_element());
    BOOST_TEST(crowded.seconds < largest_slowdown * alone.seconds);
}

}  // namespace

BOOST_TEST_GLOBAL_FIXTURE(OneCpu);

// The library takes what oneTBB gives: on one CPU that is no helper.
BOOST_AUTO_TEST_CASE(with_the_threads_that_onetbb_gives) { compare_with_one_thread(); }

// A host that wants more threads than there are CPUs; each hand-over then waits for the scheduler.
BOOST_AUTO_TEST_CASE(with_eight_real_threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 8);
    compare_with_one_thread();
}

}  // namespace llm::test
