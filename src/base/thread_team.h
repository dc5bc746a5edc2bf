// The threads of an evaluation: a team that goes through a list of phases together.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

namespace llm {

// Chunks first .. first + count - 1 of a phase.
struct Chunks {
    uint32_t first, count;
};

// One step of an evaluation: each of its chunks is run once, by any participant. Neighbouring chunks are run in one
// call, up to most_together (rounded down to a power of two, at most 32768): many at first, so that a participant reads
// long stretches of memory, fewer towards the end, so that all are done at the same time. All participants take them
// from the first on; if from_ends, helpers take them from the last on. Then in several such phases, of chunks for the
// same data in the same order, most of the data stays with one participant.
struct Phase {
    void (*run)(const void *step, Chunks chunks, uint32_t slot);
    const void *step;
    uint32_t chunk_count;
    uint32_t most_together = 1;
    bool from_ends = false;
};

class ThreadTeam {
public:
    // After a run the helping threads stay that long, ready for the next one. The host's own oneTBB work cannot use
    // them meanwhile.
    static constexpr std::chrono::microseconds default_linger{1000};

    // At most `thread_count` participants, the calling thread included; with 1 no other thread is ever used. How many
    // there really are depends on the workers that oneTBB has and the host leaves; it changes nothing but the time.
    // LLM_ERROR_STATE in a child that was forked after threads had been started.
    explicit ThreadTeam(uint32_t thread_count, std::chrono::microseconds linger = default_linger);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam &) = delete;
    ThreadTeam &operator=(const ThreadTeam &) = delete;

    uint32_t size() const { return size_; }

    // Runs the phases in order: phase p + 1 starts when every chunk of p is done. No two chunks that run at the same
    // time have the same slot, a number below size(); the calling thread has slot 0.
    // False when chunks were left out because *cancel (may be NULL) was true; it is looked at before each call.
    // A call that throws ends the run, and the first exception is thrown here once no chunk is running.
    // By one thread at a time, and not from inside a chunk of this team. LLM_ERROR_STATE in a forked child.
    bool run(std::span<const Phase> phases, const std::atomic<bool> *cancel = nullptr);

private:
    struct State;
    struct Helpers;
    struct Invitation;
    struct DropShare {
        void operator()(State *state) const;
    };

    void invite_helpers();

    uint32_t size_;
    std::unique_ptr<State, DropShare> state_;
    std::unique_ptr<Helpers> helpers_;  // NULL when there can be none
};

}  // namespace llm
