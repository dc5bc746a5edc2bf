// The same few instructions on registers, over and over: those that a product with int8 weights consists of at least.
#include "best_rate.h"
#include "roofline.h"

#include <cstdint>

#if defined(__x86_64__)
#include "instruction_loop.h"

#include <cpuid.h>
#endif

namespace roofline {
namespace {

// A function that computes for some microseconds and returns the number of products.
using Products = double (*)();

// What a compiler makes of it for the baseline.
double portable_products() {
    constexpr std::size_t size = 4096;
    constexpr int repetitions = 16;
    std::int8_t a[size] = {}, b[size] = {};
    for (int repetition = 0; repetition < repetitions; repetition++) {
        asm volatile("" : : "r"(a), "r"(b) : "memory");  // they may hold anything now
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < size; i++) sum += a[i] * b[i];
        asm volatile("" : : "r"(sum));
    }
    return double(size) * repetitions;
}

#if defined(__x86_64__)

constexpr long loop_rounds = 2000;

#define CLEAR_YMM(i) "vpxor %%ymm" i ", %%ymm" i ", %%ymm" i "\n"
#define CLEAR_ZMM(i) "vpxord %%zmm" i ", %%zmm" i ", %%zmm" i "\n"
#define CLEAR_YMM_INPUTS CLEAR_YMM("13") CLEAR_YMM("14") CLEAR_YMM("15")

double avx512_vnni_products() {
#define STEP(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" i "\n"
    long rounds = loop_rounds;
    INSTRUCTION_LOOP(rounds, nullptr, CLEAR_ZMM("14") CLEAR_ZMM("15") TWELVE(CLEAR_ZMM), TWELVE(STEP));
    return loop_rounds * 12.0 * 64;
#undef STEP
}

double avx_vnni_products() {
#define STEP(i) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" i "\n"
    long rounds = loop_rounds;
    INSTRUCTION_LOOP(rounds, nullptr, CLEAR_YMM_INPUTS TWELVE(CLEAR_YMM), TWELVE(STEP));
    return loop_rounds * 12.0 * 32;
#undef STEP
}

// Sums of four products fit into 16 bits with small weights, so they are widened only after four steps.
double avx2_products() {
#define SIX(X) X("0", "6") X("1", "7") X("2", "8") X("3", "9") X("4", "10") X("5", "11")
#define STEP(sum, product) \
    "vpmaddubsw %%ymm14, %%ymm15, %%ymm" product "\n vpaddw %%ymm" product ", %%ymm" sum ", %%ymm" sum "\n"
#define WIDEN(sum, wide) "vpmaddwd %%ymm13, %%ymm" sum ", %%ymm" wide "\n vpaddd %%ymm" wide ", %%ymm12, %%ymm12\n"
    long rounds = loop_rounds;
    INSTRUCTION_LOOP(rounds, nullptr, CLEAR_YMM_INPUTS CLEAR_YMM("12") TWELVE(CLEAR_YMM),
                     SIX(STEP) SIX(STEP) SIX(STEP) SIX(STEP) SIX(WIDEN));
    return loop_rounds * 4.0 * 6 * 32;
#undef WIDEN
#undef STEP
#undef SIX
}

// CPUID leaf 7, sub-leaf 1, EAX bit 4.
bool has_avx_vnni() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax >> 4 & 1) != 0;
}

Products fastest_products() {
    if (__builtin_cpu_supports("avx512vnni")) return avx512_vnni_products;
    if (!__builtin_cpu_supports("avx2")) return portable_products;
    return has_avx_vnni() ? avx_vnni_products : avx2_products;
}

#else

Products fastest_products() { return portable_products; }

#endif

}  // namespace

double int8_rate(unsigned threads) {
    const Products products = fastest_products();
    return best_rate(threads, [products](unsigned) { return products(); });
}

}  // namespace roofline
