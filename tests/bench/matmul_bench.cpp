// Rates of the matrix kernels, by tier, type, columns and tokens; calls are cut like those of the engine.
//
//   matmul_bench --benchmark_filter='matmul/avx512/Q4_0/memory'
//
// "cache" computes with the same few groups again and again, "memory" goes through far more than the caches hold.
#include "base/arena.h"
#include "kernels/kernel_table.h"
#include "quant/packing.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace {

using namespace llm;

constexpr size_t call_bytes = size_t{48} << 10;     // weights of one call
constexpr size_t memory_bytes = size_t{256} << 20;  // weights that no cache holds

struct Case {
    const KernelTable *table;
    TensorType type;
    bool memory;
    uint32_t columns;
    uint32_t tokens;
};

// Weights for all threads: bytes that are moderate numbers in every format.
std::byte *weight_memory() {
    static const Arena arena = [] {
        Arena made(memory_bytes, "weights");
        std::memset(made.data(), 0x11, made.size());
        return made;
    }();
    return arena.data();
}

// The activations, output and scratch memory of one thread.
struct Buffers {
    AlignedBuffer<int8_t> q;
    AlignedBuffer<float> scale;
    AlignedBuffer<int32_t> sum;
    AlignedBuffer<float> x;
    AlignedBuffer<float> out;
    AlignedBuffer<uint8_t> scratch;

    Buffers(const Case &c, size_t rows)
        : q(size_t{c.tokens} * c.columns),
          scale(q.size() / unit_length),
          sum(q.size() / 16),
          x(q.size()),
          out(c.tokens * rows),
          scratch(c.table->matmul_scratch_bytes(c.columns)) {
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 255) / 127.0f - 1.0f;
        c.table->quantize(q.data(), scale.data(), sum.data(), x.data(), static_cast<uint32_t>(x.size()));
    }
};

void run(benchmark::State &state, const Case &c) {
    const size_t group_bytes = packed_group_bytes(c.type, c.columns);
    const size_t groups = std::max<size_t>(2, call_bytes / group_bytes / 2 * 2);
    const size_t calls = c.memory ? std::max<size_t>(1, memory_bytes / (groups * group_bytes)) : 1;
    Buffers buffers(c, groups * rows_per_group);
    MatmulArgs args = {};
    args.group_count = static_cast<uint32_t>(groups);
    args.columns = c.columns;
    args.token_count = c.tokens;
    args.x = {buffers.q.data(), buffers.scale.data(), buffers.sum.data()};
    args.x_float = buffers.x.data();
    args.out = buffers.out.data();
    args.out_stride = groups * rows_per_group;
    args.scratch = buffers.scratch.data();
    const MatmulKernel kernel = c.table->matmul[static_cast<uint32_t>(c.type)];
    const auto *weights = reinterpret_cast<const uint8_t *>(weight_memory());
    size_t call = calls * static_cast<size_t>(state.thread_index()) / static_cast<size_t>(state.threads());
    for (auto _ : state) {
        args.weights = weights + call * groups * group_bytes;
        kernel(args);
        call = call + 1 < calls ? call + 1 : 0;
    }
    using benchmark::Counter;
    const double macs = static_cast<double>(groups * rows_per_group) * c.columns * c.tokens;
    state.counters["MAC/s"] = Counter(macs, Counter::kIsIterationInvariantRate);
    state.counters["weights B/s"] =
        Counter(static_cast<double>(groups * group_bytes), Counter::kIsIterationInvariantRate);
}

void add(const Case &c, const TensorTypeTraits &traits) {
    if (c.columns % traits.block_length != 0) return;
    const std::string name = std::string("matmul/") + c.table->name + '/' + std::string(traits.name) + '/' +
                             (c.memory ? "memory" : "cache") + "/columns:" + std::to_string(c.columns) +
                             "/tokens:" + std::to_string(c.tokens);
    auto *bench = benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State &state) { run(state, c); });
    const auto threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    bench->UseRealTime()->MinTime(0.05)->ThreadRange(1, c.memory ? threads : 1);
}

void add_all(const KernelTable &table) {
    for (uint32_t number = 0; number < tensor_type_slots; ++number) {
        if (!table.matmul[number]) continue;
        const TensorTypeTraits &traits = *tensor_type_traits(number);
        for (uint32_t columns : {576u, 1536u, 2048u, 8192u}) {
            add({&table, traits.type, false, columns, 1}, traits);
            add({&table, traits.type, false, columns, 512}, traits);
        }
        for (uint32_t columns : {576u, 2048u})
            for (uint32_t tokens : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 64u})
                add({&table, traits.type, true, columns, tokens}, traits);
    }
}

}  // namespace

int main(int argc, char **argv) {
    for (const char *tier : {"scalar", "avx2", "avx512"})
        if (const KernelTable *table = kernel_table(tier)) add_all(*table);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
