// How many of the instructions that the AVX-512 kernels consist of a processor completes in a second, alone and beside
// each other: the peak that their rates are compared with.
#include "base/cpu_features.h"
#include "roofline/instruction_loop.h"

#include <benchmark/benchmark.h>

namespace {

// A hundred rounds of twelve steps. %1 is data of 4 KiB; registers 20 to 23 are inputs or may be overwritten.
#define BENCH_STEPS(name, step, feature)                                                         \
    void name(benchmark::State &state) {                                                         \
        alignas(64) static unsigned char data[4096];                                             \
        if (!llm::cpu_features().feature) return state.SkipWithError("no " #feature);            \
        for (auto _ : state) {                                                                   \
            long rounds = 100;                                                                   \
            INSTRUCTION_LOOP(rounds, data, CLEAR("20") CLEAR("21") TWELVE(CLEAR), TWELVE(step)); \
        }                                                                                        \
        using benchmark::Counter;                                                                \
        state.counters["steps/s"] = Counter(1200, Counter::kIsIterationInvariantRate);           \
    }                                                                                            \
    BENCHMARK(name)

#define CLEAR(i) "vpxord %%zmm" i ", %%zmm" i ", %%zmm" i "\n"
#define DOT(i) "vpdpbusd %%zmm20, %%zmm21, %%zmm" i "\n"
#define DOT16(i) "vpdpwssd %%zmm20, %%zmm21, %%zmm" i "\n"
#define DOT_BF16(i) "vdpbf16ps %%zmm20, %%zmm21, %%zmm" i "\n"
#define MULTIPLY_INT(i) "vpmulld %%zmm20, %%zmm21, %%zmm" i "\n"
#define FMA(i) "vfmadd231ps %%zmm20, %%zmm21, %%zmm" i "\n"
#define CONVERT(i) "vcvtdq2ps %%zmm20, %%zmm" i "\n"
#define SHIFT(i) "vpsrlw $4, %%zmm20, %%zmm" i "\n"
#define AND(i) "vpandd %%zmm20, %%zmm21, %%zmm" i "\n"
#define SHUFFLE(i) "vpshufb %%zmm20, %%zmm21, %%zmm" i "\n"
#define LOAD(i) "vmovdqa64 " i "*64(%1), %%zmm" i "\n"
#define BROADCAST(i) "vpbroadcastd " i "*4(%1), %%zmm" i "\n"
#define BROADCAST_FLOAT(i) "vbroadcastss " i "*4(%1), %%zmm" i "\n"
#define DOT_EMBEDDED(i) "vpdpbusd " i "*4(%1)%{1to16%}, %%zmm21, %%zmm" i "\n"
#define DOT_BROADCAST(i) "vpbroadcastd " i "*4(%1), %%zmm22\n vpdpbusd %%zmm22, %%zmm21, %%zmm" i "\n"
#define DOT_MULTIPLY(i) DOT(i) "vmulps %%zmm20, %%zmm21, %%zmm23\n"
#define DOT_CONVERT(i) DOT(i) "vcvtdq2ps %%zmm20, %%zmm23\n"
#define DOT_SHIFT(i) DOT(i) "vpsrlw $4, %%zmm20, %%zmm23\n"
#define DOT_AND(i) DOT(i) "vpandd %%zmm20, %%zmm21, %%zmm23\n"
#define DOT_SHUFFLE(i) DOT(i) "vpshufb %%zmm20, %%zmm21, %%zmm23\n"

BENCH_STEPS(dot, DOT, avx512vnni);
BENCH_STEPS(dot_16_bit, DOT16, avx512vnni);
BENCH_STEPS(dot_bf16, DOT_BF16, avx512bf16);
BENCH_STEPS(multiply_32_bit, MULTIPLY_INT, avx512vnni);
BENCH_STEPS(fma, FMA, avx512vnni);
BENCH_STEPS(convert, CONVERT, avx512vnni);
BENCH_STEPS(shift, SHIFT, avx512vnni);
BENCH_STEPS(and_, AND, avx512vnni);
BENCH_STEPS(shuffle_bytes, SHUFFLE, avx512vnni);
BENCH_STEPS(load, LOAD, avx512vnni);
BENCH_STEPS(broadcast_int, BROADCAST, avx512vnni);
BENCH_STEPS(broadcast_float, BROADCAST_FLOAT, avx512vnni);
BENCH_STEPS(dot_of_embedded_broadcast, DOT_EMBEDDED, avx512vnni);
BENCH_STEPS(broadcast_and_dot, DOT_BROADCAST, avx512vnni);
BENCH_STEPS(dot_beside_multiply, DOT_MULTIPLY, avx512vnni);
BENCH_STEPS(dot_beside_convert, DOT_CONVERT, avx512vnni);
BENCH_STEPS(dot_beside_shift, DOT_SHIFT, avx512vnni);
BENCH_STEPS(dot_beside_and, DOT_AND, avx512vnni);
BENCH_STEPS(dot_beside_shuffle, DOT_SHUFFLE, avx512vnni);

}  // namespace

BENCHMARK_MAIN();
