// The thread team: every chunk once, phases in order, slots, cancelling, exceptions, floating-point mode, stress.
#include "base/thread_team.h"

#include "base/error.h"
#include "thread_team_fixture.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <ctime>
#include <random>
#include <string>
#include <thread>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

using namespace llm;
using namespace llm::test;

namespace {

// Sets *flag in the chunk of the given number.
struct SetFlag {
    std::atomic<bool> flag{false};
    uint32_t chunk = 0;
    std::atomic<uint32_t> chunks_run{0};

    static void run(const void *step, Chunks chunks, uint32_t) {
        SetFlag &self = *static_cast<SetFlag *>(const_cast<void *>(step));
        ++self.chunks_run;
        if (chunks.first == self.chunk) self.flag = true;
        std::this_thread::yield();
    }
};

struct Thrower {
    uint32_t first_chunk = 0;  // that throws, and all after it
    std::atomic<uint32_t> chunks_run{0};

    static void run(const void *step, Chunks chunks, uint32_t) {
        Thrower &self = *static_cast<Thrower *>(const_cast<void *>(step));
        ++self.chunks_run;
        if (chunks.first >= self.first_chunk) fail(LLM_ERROR_NONFINITE, "chunk ", chunks.first);
    }
};

// Whether arithmetic rounds upward, or loses denormal numbers, here and now.
bool rounds_upward() {
    volatile float one = 1.0f;
    volatile float tiny = 1e-10f;
    return one + tiny > 1.0f;
}

bool flushes_to_zero() {
    volatile float smallest_normal = 1.17549435e-38f;
    volatile float half = 0.5f;
    return smallest_normal * half == 0.0f;
}

// Notes who runs each chunk.
struct SlotNotes {
    std::vector<uint32_t> slot_of_chunk;

    static void run(const void *step, Chunks chunks, uint32_t slot) {
        SlotNotes &self = *static_cast<SlotNotes *>(const_cast<void *>(step));
        for (uint32_t i = 0; i < chunks.count; ++i) self.slot_of_chunk[chunks.first + i] = slot;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
};

struct EnvironmentProbe {
    std::atomic<int> wrong{0};

    static void run(const void *step, Chunks, uint32_t) {
        EnvironmentProbe &self = *static_cast<EnvironmentProbe *>(const_cast<void *>(step));
        if (rounds_upward() || flushes_to_zero()) ++self.wrong;
        std::this_thread::yield();
    }
};

double process_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

// The first test: after the others oneTBB has arenas to tidy up for a while.
BOOST_AUTO_TEST_CASE(idle_team_uses_no_cpu) {
    ThreadTeam team(2);
    Chain chain({100}, 2);
    chain.set_sleep([](uint32_t) { return std::chrono::microseconds(100); });
    team.run(chain.phases());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double before = process_cpu_seconds();
    std::this_thread::sleep_for(std::chrono::seconds(2));
    BOOST_TEST(process_cpu_seconds() - before < 0.02);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(size_is_as_asked, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    BOOST_TEST(ThreadTeam(size).size() == size);
}

BOOST_AUTO_TEST_CASE(size_is_at_least_one) { BOOST_TEST(ThreadTeam(0).size() == 1u); }

BOOST_AUTO_TEST_CASE_TEMPLATE(every_chunk_runs_once_and_in_order, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    for (int repetition = 0; repetition < 20; ++repetition) {
        Chain chain({1, 2, 0, 3, 64, 1, 1, 7, 1000, 2, 2, 2, 5}, size);
        BOOST_TEST(team.run(chain.phases()));
        chain.check();
    }
    BOOST_TEST(team.run({}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(neighbouring_chunks_run_together, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    for (const uint32_t most : {2u, 3u, 16u, 65535u}) {
        for (int repetition = 0; repetition < 20; ++repetition) {
            Chain chain({1, 2, 0, 3, 64, 1, 1, 7, 100000, 2, 5}, size, most);
            BOOST_TEST(team.run(chain.phases()));
            chain.check();
        }
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(chunks_are_claimed_from_both_ends, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    for (const uint32_t most : {1u, 2u, 16u, 65535u}) {
        for (int repetition = 0; repetition < 20; ++repetition) {
            Chain chain({1, 2, 0, 3, 64, 1, 1, 7, 10000, 2, 5}, size, most, true);
            BOOST_TEST(team.run(chain.phases()));
            chain.check();
        }
    }
}

BOOST_AUTO_TEST_CASE(the_calling_thread_has_the_first_chunks_and_the_helper_the_last) {
    ThreadTeam team(2);
    SlotNotes notes{std::vector<uint32_t>(64)};
    const Phase phase = {&SlotNotes::run, &notes, 64, 4, true};
    bool helped = false;
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(team.run({&phase, 1}));
        BOOST_TEST(notes.slot_of_chunk.front() == 0u);
        BOOST_TEST(std::is_sorted(notes.slot_of_chunk.begin(), notes.slot_of_chunk.end()));
        helped = helped || notes.slot_of_chunk.back() == 1;
    }
    BOOST_TEST(helped);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(more_chunks_than_can_be_handed_over, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    Chain chain({(1u << 22) + 3}, size, 32768);
    BOOST_TEST(team.run(chain.phases()));
    chain.check();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(many_short_runs, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    Chain chain({3, 2, 1, 4}, size);
    std::mt19937 random(size);
    const int runs = scaled(20000);
    for (int i = 0; i < runs; ++i) {
        if (!team.run(chain.phases())) BOOST_FAIL("a run was cut short");
        if (random() % 512 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    }
    chain.check(static_cast<uint32_t>(runs));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(without_lingering, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size, std::chrono::microseconds(0));
    Chain chain({8, 8}, size);
    const int runs = scaled(3000);
    for (int i = 0; i < runs; ++i) team.run(chain.phases());
    chain.check(static_cast<uint32_t>(runs));
}

// Chunks of different length, longer than anyone spins, so that all ways of waiting are used.
BOOST_AUTO_TEST_CASE_TEMPLATE(long_chunks, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    Chain chain({4, 1, 3, 9, 1, 2}, size);
    chain.set_sleep([](uint32_t chunk) { return std::chrono::microseconds(chunk % 3 == 0 ? 3000 : 200); });
    for (int i = 0; i < 3; ++i) BOOST_TEST(team.run(chain.phases()));
    chain.check(3);
}

BOOST_AUTO_TEST_CASE(helpers_come) {
    ThreadTeam team(2);
    Chain chain({64}, 2);
    chain.set_sleep([](uint32_t) { return std::chrono::microseconds(500); });
    for (int i = 0; i < 100 && chain.chunks_of_slot(1) == 0; ++i) team.run(chain.phases());
    BOOST_TEST(chain.chunks_of_slot(1) > 0u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(team_ends_while_helpers_linger, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    const int teams = scaled(500);
    for (int i = 0; i < teams; ++i) {
        Chain chain({6, 6}, size);
        {
            ThreadTeam team(size);
            team.run(chain.phases());
            if (i % 2 == 0) team.run(chain.phases());
        }
        chain.check(i % 2 == 0 ? 2 : 1);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(two_teams_in_two_threads, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    const auto use = [] {
        ThreadTeam team(size);
        Chain chain({3, 1, 5}, size);
        const int runs = scaled(2000);
        for (int i = 0; i < runs; ++i) team.run(chain.phases());
        chain.check(static_cast<uint32_t>(runs));
    };
    std::thread other(use);
    use();
    other.join();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(team_moves_between_threads, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    Chain chain({3, 4}, size);
    for (int i = 0; i < 50; ++i) std::thread([&] { team.run(chain.phases()); }).join();
    chain.check(50);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cancelled_before_the_run, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    Chain chain({4, 4}, size);
    std::atomic<bool> cancel{true};
    BOOST_TEST(!team.run(chain.phases(), &cancel));
    BOOST_TEST(chain.chunks_run() == 0u);
    cancel = false;
    BOOST_TEST(team.run(chain.phases(), &cancel));
    chain.check();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cancelled_inside_a_phase, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    for (const uint32_t chunk : {0u, 5u, 90u}) {
        SetFlag step;
        step.chunk = chunk;
        SetFlag later;
        const Phase phases[] = {{SetFlag::run, &step, 10000}, {SetFlag::run, &later, 10}};
        BOOST_TEST(!team.run(phases, &step.flag));
        BOOST_TEST(step.chunks_run > chunk);
        BOOST_TEST(step.chunks_run <= chunk + 2 * size);
        BOOST_TEST(later.chunks_run == 0u);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(cancelled_in_the_last_chunk_is_complete, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    SetFlag step;
    const Phase phase{SetFlag::run, &step, 1};
    BOOST_TEST(team.run({&phase, 1}, &step.flag));
    BOOST_TEST(!team.run({&phase, 1}, &step.flag));
    BOOST_TEST(step.chunks_run == 1u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(exception_ends_the_run, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    for (const uint32_t first : {0u, 1u, 50u}) {
        for (int repetition = 0; repetition < scaled(100); ++repetition) {
            Thrower step;
            step.first_chunk = first;
            Thrower later;
            const Phase phases[] = {{Thrower::run, &step, 10000}, {Thrower::run, &later, 10}};
            BOOST_CHECK_EXCEPTION(team.run(phases), Error, [](const Error &error) {
                return error.status() == LLM_ERROR_NONFINITE && std::string(error.what()).starts_with("chunk ");
            });
            if (step.chunks_run < first + 1 || step.chunks_run > first + 1 + size)
                BOOST_ERROR("chunks run: " << step.chunks_run << " after failure in chunk " << first);
            if (later.chunks_run != 0) BOOST_ERROR("a later phase ran");
        }
    }
    Chain chain({4, 4}, size);
    BOOST_TEST(team.run(chain.phases()));
    chain.check();
}

BOOST_AUTO_TEST_CASE_TEMPLATE(float_environment_is_the_default_one, Size, TeamSizes) {
    constexpr uint32_t size = Size::value;
    ThreadTeam team(size);
    EnvironmentProbe probe;
    const Phase phases[] = {{EnvironmentProbe::run, &probe, 50}, {EnvironmentProbe::run, &probe, 1}};
    std::fenv_t before;
    std::fegetenv(&before);
    std::fesetround(FE_UPWARD);
#ifdef __x86_64__
    constexpr unsigned flush_to_zero = 0x8000;
    _mm_setcsr(_mm_getcsr() | flush_to_zero);
    const bool flushed = flushes_to_zero();
    team.run(phases);
    const bool flushes_still = flushes_to_zero();
#else
    team.run(phases);
#endif
    const bool rounds_upward_still = rounds_upward();
    std::fesetenv(&before);
#ifdef __x86_64__
    BOOST_TEST(flushed);
    BOOST_TEST(flushes_still);
#endif
    BOOST_TEST(rounds_upward_still);
    BOOST_TEST(probe.wrong == 0);
}
