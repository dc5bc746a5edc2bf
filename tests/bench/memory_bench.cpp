// Read bandwidth: of the second- and third-level cache and of memory, on small and on huge pages, with and without
// prefetch instructions, on one and on all processors. It bounds the tokens per second of generation.
#include "base/arena.h"
#include "roofline/roofline.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace {

using namespace llm;

constexpr size_t largest = size_t{256} << 20;

struct Case {
    size_t bytes;  // for each thread
    bool huge_pages;
    size_t prefetch_distance;
};

const std::byte *memory(bool huge_pages) {
    static const auto make = [](bool huge) {
        const auto size = largest * std::max(1u, std::thread::hardware_concurrency());
        Arena made(size, "data");
#if defined(__linux__)
        if (!huge) madvise(made.data(), made.size(), MADV_NOHUGEPAGE);
#endif
        std::memset(made.data(), 1, made.size());
        return made;
    };
    if (huge_pages) {
        static const Arena huge = make(true);
        return huge.data();
    }
    static const Arena small = make(false);
    return small.data();
}

void run(benchmark::State &state, const Case &c) {
    const std::byte *data = memory(c.huge_pages) + static_cast<size_t>(state.thread_index()) * largest;
    for (auto _ : state) benchmark::DoNotOptimize(roofline::read_block(data, c.bytes, c.prefetch_distance));
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(c.bytes));
}

void add(const Case &c) {
    const std::string name = "read/KiB:" + std::to_string(c.bytes >> 10) + (c.huge_pages ? "/huge" : "/small") +
                             "_pages/prefetch:" + std::to_string(c.prefetch_distance);
    const auto threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State &state) { run(state, c); })
        ->UseRealTime()
        ->ThreadRange(1, threads);
}

}  // namespace

int main(int argc, char **argv) {
    for (const bool huge_pages : {true, false})
        for (const size_t bytes : {size_t{256} << 10, size_t{8} << 20, largest})
            for (const size_t distance : {size_t{0}, size_t{1024}, size_t{4096}}) add({bytes, huge_pages, distance});
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
