// A callback runs under a shared lock, its replacement takes the lock alone: that is how set_log() waits.
#include "base/log.h"

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace llm {

namespace {

struct Sink {
    std::mutex turnstile;  // everybody passes it first, so that set_log() need not wait for a moment without any line
    std::shared_mutex mutex;
    llm_log_callback callback = nullptr;
    void *user = nullptr;
    llm_log_level minimum = LLM_LOG_DEBUG;
};

Sink sink;

// Read without the lock, so that lines nobody wants cost nothing.
constexpr llm_log_level silence = LLM_LOG_WARNING + 1;
std::atomic<llm_log_level> lowest_wanted{silence};

thread_local bool inside_callback = false;

struct CallbackScope {
    CallbackScope() { inside_callback = true; }
    ~CallbackScope() { inside_callback = false; }
};

}  // namespace

void set_log(llm_log_callback callback, void *user, llm_log_level minimum) {
    if (inside_callback) fail(LLM_ERROR_STATE, "the log callback cannot be replaced by a log callback");
    const std::lock_guard turn(sink.turnstile);
    const std::lock_guard lock(sink.mutex);
    sink.callback = callback;
    sink.user = user;
    sink.minimum = minimum;
    lowest_wanted.store(callback != nullptr ? minimum : silence, std::memory_order_relaxed);
}

bool log_enabled(llm_log_level level) { return level >= lowest_wanted.load(std::memory_order_relaxed); }

void log_line(llm_log_level level, std::string_view line) {
    if (inside_callback) return;
    std::unique_lock turn(sink.turnstile);
    const std::shared_lock lock(sink.mutex);
    turn.unlock();
    if (sink.callback == nullptr || level < sink.minimum) return;
    const CallbackScope scope;
    sink.callback(sink.user, level, line.data(), line.size());
}

}  // namespace llm
