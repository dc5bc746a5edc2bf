// What it costs to hand work from one processor to another: the constants that the thread team spins with. A busy
// machine makes them meaningless.
#include "base/patience.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace {

// There and back: the other thread answers each number that it is sent.
void round_trip(benchmark::State &state) {
    alignas(64) static std::atomic<uint64_t> sent;
    alignas(64) static std::atomic<uint64_t> answered;
    constexpr uint64_t stop = ~uint64_t{0};
    sent = 0;
    answered = 0;
    std::thread other([] {
        for (uint64_t last = 0;;) {
            const uint64_t now = sent.load(std::memory_order_acquire);
            if (now == last) {
                llm::pause_cpu();
                continue;
            }
            if (now == stop) return;
            last = now;
            answered.store(now, std::memory_order_release);
        }
    });
    uint64_t number = 0;
    for (auto _ : state) {
        sent.store(++number, std::memory_order_release);
        while (answered.load(std::memory_order_acquire) != number) llm::pause_cpu();
    }
    sent.store(stop, std::memory_order_release);
    other.join();
}
BENCHMARK(round_trip)->UseRealTime();

void pause_instruction(benchmark::State &state) {
    for (auto _ : state) llm::pause_cpu();
}
BENCHMARK(pause_instruction);

// One counter for all threads, as chunks of a phase are claimed.
void claim(benchmark::State &state) {
    alignas(64) static std::atomic<uint64_t> next;
    for (auto _ : state) benchmark::DoNotOptimize(next.fetch_add(1, std::memory_order_relaxed));
}
BENCHMARK(claim)->UseRealTime()->Threads(1)->Threads(2);

}  // namespace

BENCHMARK_MAIN();
