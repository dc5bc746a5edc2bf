// Fork: a child without threads of its own gets an error, not a hang.
#include "base/process.h"
#include "base/error.h"
#include "thread_team_fixture.h"

#include <sys/wait.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>
#include <string>

using namespace llm;
using namespace llm::test;

namespace {

// Runs `test` in a forked child; true when it returned true there within some seconds.
template <class Test>
bool true_in_child(Test test) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        bool result = false;
        try {
            result = test();
        } catch (...) {
        }
        _exit(result ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

template <class Call>
bool refused_after_fork(Call call) {
    try {
        call();
    } catch (const Error &error) {
        return error.status() == LLM_ERROR_STATE && std::string(error.what()).find("after fork") != std::string::npos;
    }
    return false;
}

uint32_t chunks_run_by(ThreadTeam &team) {
    Chain chain({4, 4}, team.size());
    team.run(chain.phases());
    return chain.chunks_run();
}

}  // namespace

// The first test: no thread has been started yet. (ThreadSanitizer allows no threads in a child.)
#ifndef __SANITIZE_THREAD__
BOOST_AUTO_TEST_CASE(forked_before_the_first_thread) {
    BOOST_TEST(!threads_lost_in_fork());
    BOOST_TEST(true_in_child([] {
        ThreadTeam team(2);
        return chunks_run_by(team) == 8 && !threads_lost_in_fork();
    }));
}
#endif

BOOST_AUTO_TEST_CASE(forked_after_the_first_thread) {
    ThreadTeam team(2);
    ThreadTeam alone(1);
    BOOST_TEST(chunks_run_by(team) == 8u);
    BOOST_TEST(true_in_child([] { return threads_lost_in_fork(); }));
    BOOST_TEST(true_in_child([&] { return refused_after_fork([&] { chunks_run_by(team); }); }));
    BOOST_TEST(true_in_child([] { return refused_after_fork([] { ThreadTeam another(2); }); }));
    BOOST_TEST(true_in_child([] { return refused_after_fork(require_own_threads); }));
    BOOST_TEST(true_in_child([&] { return chunks_run_by(alone) == 8; }));
    BOOST_TEST(true_in_child([&] {
        team.~ThreadTeam();
        return true;
    }));
    BOOST_TEST(!threads_lost_in_fork());
    BOOST_TEST(chunks_run_by(team) == 8u);
}
