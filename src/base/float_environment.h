// The floating-point mode in which the library computes.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#else
#include <cfenv>
#endif

namespace llm {

// Rounding to nearest, denormal numbers kept, exceptions masked, for the life of the object; the host's own mode and
// exception flags come back with its end. Threads of oneTBB are shared with the host and may come in any mode.
class DefaultFloatEnvironment {
public:
    DefaultFloatEnvironment(const DefaultFloatEnvironment &) = delete;
    DefaultFloatEnvironment &operator=(const DefaultFloatEnvironment &) = delete;

#if defined(__x86_64__) || defined(_M_X64)
    DefaultFloatEnvironment() { _mm_setcsr(0x1f80); }  // all exceptions masked, everything else zero
    ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }

private:
    const unsigned saved_ = _mm_getcsr();
#elif defined(__aarch64__)
    DefaultFloatEnvironment() : saved_(get()) { set(0); }
    ~DefaultFloatEnvironment() { set(saved_); }

private:
    static uint64_t get() {
        uint64_t value;
        __asm__ volatile("mrs %0, fpcr" : "=r"(value));
        return value;
    }
    static void set(uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
    const uint64_t saved_;
#else
    DefaultFloatEnvironment() {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }

private:
    std::fenv_t saved_;
#endif
};

}  // namespace llm
