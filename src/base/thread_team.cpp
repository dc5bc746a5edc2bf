// How a team goes through its phases. This is the only file that includes oneTBB, which supplies the threads.
//
// One atomic word holds the chunks of the current phase that nobody has claimed, which are neighbours, and the number
// of helpers that hold a claimed one. The calling thread publishes a phase by setting it; everyone takes chunks from it
// by compare-and-swap: a share of what is left. The calling thread goes on when no chunk is unclaimed and no helper
// holds any. Hence:
//   * It waits only for threads that are running a chunk. Helpers that come late or never are not missed.
//   * A helper that was delayed cannot take anything from a phase that is over: its compare-and-swap fails, or it
//     takes a chunk of the phase that is current by then, which is as good.
//   * Phase, step and the caller's memory are touched only while holding a chunk, so they live long enough. Without
//     one, a helper touches the State alone, which it owns a share of.
//   * The word is changed by read-modify-write operations only, so what was written in one phase is seen in the next.
#include "base/thread_team.h"

#include "base/cpu_budget.h"
#include "base/float_environment.h"
#include "base/patience.h"
#include "base/process.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace llm {

namespace {

// Bits 0 to 21 of the word: number of unclaimed chunks. Bits 22 to 43: the first of them. Bits 44 to 53: helpers that
// hold chunks. Bits 54 to 57: binary logarithm of Phase's most_together. Bit 58: its from_ends.
constexpr uint32_t most_chunks = (1u << 22) - 1;
constexpr uint32_t most_helpers = (1u << 10) - 1;
constexpr uint32_t most_doublings = 15;
constexpr uint64_t one_ahead = uint64_t{1} << 22;
constexpr uint64_t one_held = uint64_t{1} << 44;
constexpr uint64_t one_doubling = uint64_t{1} << 54;
constexpr uint64_t from_ends = uint64_t{1} << 58;
constexpr uint64_t caller_sleeps = uint64_t{1} << 60;  // until no helper holds a chunk
constexpr uint64_t helper_sleeps = uint64_t{1} << 61;  // at least one, until the next phase or the end of the run
constexpr uint64_t run_open = uint64_t{1} << 62;
constexpr uint64_t team_gone = uint64_t{1} << 63;

constexpr uint32_t unclaimed(uint64_t word) { return word & most_chunks; }
constexpr uint32_t first_unclaimed(uint64_t word) { return word / one_ahead & most_chunks; }
constexpr uint32_t held(uint64_t word) { return word / one_held & most_helpers; }
constexpr uint32_t together(uint64_t word) { return 1u << (word / one_doubling & most_doublings); }

uint64_t open_word(const Phase &phase) {
    const uint32_t most_together = std::clamp(phase.most_together, 1u, 1u << most_doublings);
    const auto doublings = static_cast<uint64_t>(std::bit_width(most_together) - 1);
    return run_open | (phase.from_ends ? from_ends : 0) | doublings * one_doubling | phase.chunk_count;
}

// How many of the unclaimed chunks the next one to ask gets: an equal share. What is left shrinks with each one, so
// that all are done at about the same time. Half a share if helpers begin at the end: nobody can help the calling
// thread with what it has taken.
uint32_t portion(uint64_t word, uint32_t participants) {
    const uint32_t shares = (word & from_ends) != 0 ? 2 * participants : participants;
    return std::clamp(unclaimed(word) / shares, 1u, together(word));
}

// A hand-over takes a fraction of a microsecond. Whoever waits longer gives the CPU away from time to time, and
// sleeps in the end: perhaps the thread that is waited for has no CPU.
constexpr std::chrono::microseconds longest_spinning{50};
constexpr std::chrono::microseconds longest_waking{1000};

// Every State that exists, so that those that oneTBB has not let go of when the process ends are no leaks: leak
// checkers do not look into the memory where oneTBB keeps its tasks.
class StateList {
public:
    static StateList &instance() {
        static StateList *const list = new StateList;
        return *list;
    }
    void add(const void *state) {
        const std::lock_guard lock(mutex_);
        states_.push_back(state);
    }
    void remove(const void *state) {
        const std::lock_guard lock(mutex_);
        std::erase(states_, state);
    }

private:
    std::mutex mutex_;
    std::vector<const void *> states_;
};

}  // namespace

struct ThreadTeam::State {
    State(uint32_t helper_count, std::chrono::microseconds linger_time)
        // With more participants than CPUs, who spins takes time from those that have work.
        : participants(helper_count + 1),
          spinning(helper_count < affinity_cpu_count() ? longest_spinning : std::chrono::microseconds(0)),
          linger(linger_time),
          present(new std::atomic<bool>[helper_count + 1]()) {
        StateList::instance().add(this);
    }
    ~State() { StateList::instance().remove(this); }

    // By the calling thread.
    void begin(const std::atomic<bool> *cancel_flag);
    void run_alone();
    void end();
    // By a helper.
    void follow(uint32_t slot);

    void drop_share();

    bool publish(Chunks &chunks);
    bool claim(bool is_helper, uint64_t change, Chunks &chunks);
    void run_chunks(Chunks chunks, uint32_t slot) noexcept;
    void leave_out_rest();
    void wait_for_helpers();
    bool help(uint32_t slot);
    bool leave(uint32_t slot);
    void sleep(uint64_t seen);

    // Pairs of cache lines, because processors fetch them so. What a helper needs first comes with the word.
    alignas(128) std::atomic<uint64_t> word{0};
    const Phase *phase = nullptr;
    const std::atomic<bool> *cancel = nullptr;

    alignas(128) std::atomic<bool> incomplete{false};  // chunks were left out
    std::atomic<bool> failed{false};
    std::exception_ptr error;  // of the chunk that failed first

    const uint32_t participants;  // at most
    const std::chrono::microseconds spinning;
    const std::chrono::microseconds linger;
    const std::unique_ptr<std::atomic<bool>[]> present;  // by slot: a helper is there, or invited
    std::atomic<uint32_t> shares{1};                     // of ownership: the team's, and one for each invitation
};

void ThreadTeam::State::begin(const std::atomic<bool> *cancel_flag) {
    cancel = cancel_flag;
    incomplete.store(false, std::memory_order_relaxed);
    failed.store(false, std::memory_order_relaxed);
}

// Opens the current phase to helpers and claims the first chunks of it. True for the first of a run.
bool ThreadTeam::State::publish(Chunks &chunks) {
    const uint64_t all = open_word(*phase);
    chunks = {0, portion(all, participants)};
    const uint64_t before = word.exchange(all + chunks.count * one_ahead - chunks.count);
    if ((before & helper_sleeps) != 0) word.notify_all();
    return (before & run_open) == 0;
}

// A phase that is not worth a hand-over: helpers keep waiting for the next one.
void ThreadTeam::State::run_alone() {
    const uint32_t most = std::max(phase->most_together, 1u);
    for (uint32_t first = 0; first < phase->chunk_count && !incomplete.load(std::memory_order_relaxed); first += most)
        run_chunks({first, std::min(most, phase->chunk_count - first)}, 0);
}

void ThreadTeam::State::end() {
    const uint64_t before = word.exchange(0);
    if ((before & helper_sleeps) != 0) word.notify_all();
}

// Takes the next chunks if any are left. `change` is one_held for a helper that holds none so far.
bool ThreadTeam::State::claim(bool is_helper, uint64_t change, Chunks &chunks) {
    uint64_t seen = word.load(std::memory_order_relaxed);
    while (unclaimed(seen) != 0) {
        const uint32_t count = portion(seen, participants);
        const bool from_back = is_helper && (seen & from_ends) != 0;
        const uint64_t rest = seen - count + (from_back ? 0 : count * one_ahead);
        if (!word.compare_exchange_weak(seen, rest + change, std::memory_order_acquire, std::memory_order_relaxed))
            continue;
        chunks = {first_unclaimed(seen) + (from_back ? unclaimed(rest) : 0), count};
        return true;
    }
    return false;
}

void ThreadTeam::State::leave_out_rest() {
    incomplete.store(true, std::memory_order_relaxed);
    word.fetch_and(~uint64_t{most_chunks}, std::memory_order_relaxed);
}

void ThreadTeam::State::run_chunks(Chunks chunks, uint32_t slot) noexcept {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) {
        leave_out_rest();
        return;
    }
    try {
        phase->run(phase->step, chunks, slot);
    } catch (...) {
        if (!failed.exchange(true, std::memory_order_relaxed)) error = std::current_exception();
        leave_out_rest();
    }
}

void ThreadTeam::State::wait_for_helpers() {
    Patience patience(spinning);
    while (held(word.load(std::memory_order_acquire)) != 0) {
        if (patience.wait(longest_waking)) continue;
        const uint64_t seen = word.fetch_or(caller_sleeps, std::memory_order_relaxed) | caller_sleeps;
        if (held(seen) != 0) word.wait(seen, std::memory_order_relaxed);
        patience.renew();
    }
}

// Runs chunks while there are any; false if there was none.
bool ThreadTeam::State::help(uint32_t slot) {
    Chunks chunks;
    if (!claim(true, one_held, chunks)) return false;
    do run_chunks(chunks, slot);
    while (claim(true, 0, chunks));
    const uint64_t before = word.fetch_sub(one_held, std::memory_order_release);
    if (held(before) == 1 && (before & caller_sleeps) != 0) word.notify_all();
    return true;
}

// A helper's stay: through one run or several.
void ThreadTeam::State::follow(uint32_t slot) {
    const DefaultFloatEnvironment float_environment;
    // Who comes after the run does not wait for another one. (Acquire: the State as its maker left it.)
    bool leaving = (word.load(std::memory_order_acquire) & run_open) == 0;
    Patience patience(spinning);
    while (!leaving || !leave(slot)) {
        leaving = false;
        if (help(slot)) {
            patience.renew();
            continue;
        }
        const uint64_t seen = word.load(std::memory_order_relaxed);
        const bool open = (seen & run_open) != 0;
        if ((seen & team_gone) != 0) return;
        if (patience.wait(open ? longest_waking : linger)) continue;
        if (open) sleep(seen);
        leaving = !open;
        patience.renew();
    }
}

// True when the helper may go. It takes back its presence before it looks at the word; the calling thread changes the
// word before it looks who is present (all sequentially consistent): no run begins unnoticed by both.
bool ThreadTeam::State::leave(uint32_t slot) {
    present[slot].store(false);
    if ((word.load() & run_open) == 0) return true;
    return present[slot].exchange(true);  // if true, the slot was given away again
}

// Until something has changed since the word was `seen`.
void ThreadTeam::State::sleep(uint64_t seen) {
    if (unclaimed(seen) != 0) return;
    const uint64_t asleep = seen | helper_sleeps;
    if (word.compare_exchange_strong(seen, asleep, std::memory_order_relaxed))
        word.wait(asleep, std::memory_order_relaxed);
}

void ThreadTeam::State::drop_share() {
    if (shares.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void ThreadTeam::DropShare::operator()(State *state) const { state->drop_share(); }

// What oneTBB keeps until a worker comes, which may be after the end of the team.
struct ThreadTeam::Invitation {
    State *state;
    uint32_t slot;

    void operator()() const {
        state->follow(slot);
        state->drop_share();
    }
};

struct ThreadTeam::Helpers {
    explicit Helpers(uint32_t helper_count) : count(helper_count), arena(static_cast<int>(helper_count), 0) {
        arena.initialize();
    }

    const uint32_t count;
    tbb::task_arena arena;  // of its own, so that a helper meets no foreign task
};

namespace {

// oneTBB writes a warning to stderr when an arena wants more workers than it has, so nobody asks for them.
uint32_t available_helpers(uint32_t thread_count) {
    if (thread_count == 1) return 0;
    require_own_threads();
    const size_t parallelism = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return static_cast<uint32_t>(std::min<size_t>({thread_count, parallelism, most_helpers + 1}) - 1);
}

}  // namespace

ThreadTeam::ThreadTeam(uint32_t thread_count, std::chrono::microseconds linger) : size_(std::max(thread_count, 1u)) {
    const uint32_t helper_count = available_helpers(size_);
    state_.reset(new State(helper_count, linger));
    if (helper_count > 0) helpers_ = std::make_unique<Helpers>(helper_count);
}

ThreadTeam::~ThreadTeam() {
    if (helpers_ != nullptr && threads_lost_in_fork()) {
        // Locks inside oneTBB may be held by threads that are not there.
        static_cast<void>(helpers_.release());
        static_cast<void>(state_.release());
        return;
    }
    // Helpers that linger go at the next look; invitations that nobody has taken up keep the State until somebody does.
    state_->word.exchange(team_gone);
}

void ThreadTeam::invite_helpers() {
    for (uint32_t slot = 1; slot <= helpers_->count; ++slot) {
        if (state_->present[slot].load() || state_->present[slot].exchange(true)) continue;
        state_->shares.fetch_add(1, std::memory_order_relaxed);
        try {
            helpers_->arena.enqueue(Invitation{state_.get(), slot});
        } catch (...) {  // no memory for a task: it goes without
            state_->shares.fetch_sub(1, std::memory_order_relaxed);
            state_->present[slot].store(false);
        }
    }
}

bool ThreadTeam::run(std::span<const Phase> phases, const std::atomic<bool> *cancel) {
    if (helpers_ != nullptr) require_own_threads();
    const DefaultFloatEnvironment float_environment;
    State &state = *state_;
    state.begin(cancel);
    for (const Phase &phase : phases) {
        state.phase = &phase;
        if (helpers_ == nullptr || phase.chunk_count <= 1 || phase.chunk_count > most_chunks) {
            state.run_alone();
        } else {
            Chunks chunks;
            if (state.publish(chunks)) invite_helpers();
            do state.run_chunks(chunks, 0);
            while (state.claim(false, 0, chunks));
            state.wait_for_helpers();
        }
        if (state.incomplete.load(std::memory_order_relaxed)) break;
    }
    state.end();
    if (state.error != nullptr) std::rethrow_exception(std::exchange(state.error, nullptr));
    return !state.incomplete.load(std::memory_order_relaxed);
}

}  // namespace llm
