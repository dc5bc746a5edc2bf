// The thread team inside a host that uses oneTBB itself, and with more real threads than the machine has CPUs.
#include "thread_team_fixture.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <boost/test/unit_test.hpp>
#include <cstdio>

#ifdef __linux__
#include <sched.h>
#endif

using namespace llm;
using namespace llm::test;

namespace {

void use_team(uint32_t size, int runs) {
    ThreadTeam team(size);
    Chain chain({3, 1, 9, 2}, size);
    for (int i = 0; i < runs; ++i) team.run(chain.phases());
    chain.check(static_cast<uint32_t>(runs));
}

// Calls `test` while oneTBB has that many threads, for several numbers.
template <class Test>
void for_each_parallelism(Test test) {
    for (const size_t threads : {1, 2, 8}) {
        const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
        BOOST_TEST_CONTEXT("parallelism of the host: " << threads) { test(); }
    }
}

}  // namespace

// oneTBB warns once in a process when it is asked for too many threads; therefore this is the first test.
BOOST_AUTO_TEST_CASE(nothing_is_written_to_stderr) {
    std::FILE *file = std::tmpfile();
    BOOST_REQUIRE(file != nullptr);
    const int real_stderr = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    use_team(200, 10);
    for_each_parallelism([] { use_team(200, 10); });
    dup2(real_stderr, STDERR_FILENO);
    close(real_stderr);
    std::fseek(file, 0, SEEK_END);
    BOOST_TEST(std::ftell(file) == 0);
    std::fclose(file);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(more_threads_than_cpus, Size, TeamSizes) {
    for_each_parallelism([] { use_team(Size::value, scaled(3000)); });
}

BOOST_AUTO_TEST_CASE_TEMPLATE(inside_an_arena_of_one, Size, TeamSizes) {
    for_each_parallelism([] {
        tbb::task_arena arena(1);
        arena.execute([] { use_team(Size::value, scaled(500)); });
    });
}

// ThreadSanitizer does not see how oneTBB hands over the tasks of these hosts.
#ifndef __SANITIZE_THREAD__
BOOST_AUTO_TEST_CASE_TEMPLATE(inside_a_parallel_for, Size, TeamSizes) {
    for_each_parallelism([] { tbb::parallel_for(0, 16, [](int) { use_team(Size::value, scaled(100)); }); });
}

// The host keeps the only worker busy until the run is over: the helpers never come.
BOOST_AUTO_TEST_CASE_TEMPLATE(without_any_worker, Size, TeamSizes) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
    std::atomic<int> busy{0};
    std::atomic<bool> over{false};
    tbb::task_arena arena(1, 0);
    arena.enqueue([&] {
        ++busy;
        while (!over) std::this_thread::yield();
        --busy;
    });
    while (busy == 0) std::this_thread::yield();
    use_team(Size::value, scaled(500));
    over = true;
    while (busy != 0) std::this_thread::yield();
}
#endif

#ifdef __linux__
BOOST_AUTO_TEST_CASE_TEMPLATE(on_one_cpu, Size, TeamSizes) {
    cpu_set_t all;
    cpu_set_t one;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    use_team(Size::value, scaled(500));
    sched_setaffinity(0, sizeof all, &all);
}
#endif
