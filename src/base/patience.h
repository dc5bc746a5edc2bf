// Waiting for another thread: first spinning, then giving the CPU away, and after some time no longer.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__x86_64__) || defined(_M_X64)
#include <emmintrin.h>
#endif

namespace llm {

inline void pause_cpu() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && !defined(_MSC_VER)
    __asm__ volatile("isb");
#endif
}

class Patience {
public:
    using Clock = std::chrono::steady_clock;

    explicit Patience(Clock::duration spinning) : spinning_(spinning) {}

    // Passes a moment; false when the limit is reached, counted from the first call.
    bool wait(Clock::duration limit) {
        pause_cpu();
        if (++moments_ % moments_between_looks != 0) return true;
        const Clock::time_point now = Clock::now();
        if (moments_ == moments_between_looks) start_ = now;
        if (now - start_ >= limit) return false;
        if (now - start_ >= spinning_) std::this_thread::yield();
        return true;
    }

    // The next wait() is the first again.
    void renew() { moments_ = 0; }

private:
    static constexpr uint32_t moments_between_looks = 16;  // at the clock, which costs about as much as a pause

    Clock::duration spinning_;
    Clock::time_point start_;
    uint32_t moments_ = 0;
};

}  // namespace llm
