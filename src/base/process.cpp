// The process that has started threads is known by its id, which a child of fork() inherits in memory.
#include "base/process.h"

#include "base/error.h"

#include <atomic>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace llm {

#ifdef _WIN32

void require_own_threads() {}
bool threads_lost_in_fork() noexcept { return false; }

#else

namespace {

std::atomic<pid_t> owner_of_threads{0};  // 0: nobody has started any

}  // namespace

void require_own_threads() {
    const pid_t self = getpid();
    pid_t owner = 0;
    if (owner_of_threads.compare_exchange_strong(owner, self) || owner == self) return;
    fail(LLM_ERROR_STATE, "threads of process ", owner, " are missing in its child ", self,
         " after fork; fork before the first model is opened");
}

bool threads_lost_in_fork() noexcept {
    const pid_t owner = owner_of_threads.load(std::memory_order_relaxed);
    return owner != 0 && owner != getpid();
}

#endif

}  // namespace llm
