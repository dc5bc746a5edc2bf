// CPUID and XGETBV; the bit numbers are those of the Intel 64 and IA-32 Architectures Software Developer's Manual,
// volume 2A, instruction CPUID, and volume 1, section 13.3 (XCR0).
#include "base/cpu_features.h"

#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define LLM_X86_CPUID 1
#elif defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#define LLM_X86_CPUID 1
#endif

namespace llm {

namespace {

enum class Register { leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_1_eax, count };

// Registers that the operating system must save for the extension to be usable.
enum class State { none, ymm, zmm };

struct Feature {
    const char *name;
    bool CpuFeatures::*flag;
    Register word;
    int bit;
    State state;
};

constexpr Feature features_table[] = {
    {"avx", &CpuFeatures::avx, Register::leaf1_ecx, 28, State::ymm},
    {"f16c", &CpuFeatures::f16c, Register::leaf1_ecx, 29, State::ymm},
    {"fma", &CpuFeatures::fma, Register::leaf1_ecx, 12, State::ymm},
    {"avx2", &CpuFeatures::avx2, Register::leaf7_ebx, 5, State::ymm},
    {"bmi1", &CpuFeatures::bmi1, Register::leaf7_ebx, 3, State::none},
    {"bmi2", &CpuFeatures::bmi2, Register::leaf7_ebx, 8, State::none},
    {"avx_vnni", &CpuFeatures::avx_vnni, Register::leaf7_1_eax, 4, State::ymm},
    {"avx512f", &CpuFeatures::avx512f, Register::leaf7_ebx, 16, State::zmm},
    {"avx512bw", &CpuFeatures::avx512bw, Register::leaf7_ebx, 30, State::zmm},
    {"avx512cd", &CpuFeatures::avx512cd, Register::leaf7_ebx, 28, State::zmm},
    {"avx512dq", &CpuFeatures::avx512dq, Register::leaf7_ebx, 17, State::zmm},
    {"avx512vl", &CpuFeatures::avx512vl, Register::leaf7_ebx, 31, State::zmm},
    {"avx512vbmi", &CpuFeatures::avx512vbmi, Register::leaf7_ecx, 1, State::zmm},
    {"avx512vnni", &CpuFeatures::avx512vnni, Register::leaf7_ecx, 11, State::zmm},
    {"avx512bf16", &CpuFeatures::avx512bf16, Register::leaf7_1_eax, 5, State::zmm},
};

#ifdef LLM_X86_CPUID

struct CpuidResult {
    uint32_t eax, ebx, ecx, edx;
};

CpuidResult cpuid(uint32_t leaf, uint32_t subleaf) {
    CpuidResult r = {};
#ifdef _MSC_VER
    int words[4];
    __cpuidex(words, static_cast<int>(leaf), static_cast<int>(subleaf));
    r = {static_cast<uint32_t>(words[0]), static_cast<uint32_t>(words[1]), static_cast<uint32_t>(words[2]),
         static_cast<uint32_t>(words[3])};
#else
    __cpuid_count(leaf, subleaf, r.eax, r.ebx, r.ecx, r.edx);
#endif
    return r;
}

// Extended control register 0: which register states the operating system saves at a context switch.
uint64_t xcr0() {
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    uint32_t low = 0;
    uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<uint64_t>(high) << 32) | low;
#endif
}

constexpr bool bit_set(uint64_t word, int bit) { return ((word >> bit) & 1) != 0; }

struct Machine {
    uint32_t words[static_cast<int>(Register::count)] = {};
    bool saves_ymm = false;
    bool saves_zmm = false;

    Machine() {
        const uint32_t last_leaf = cpuid(0, 0).eax;
        if (last_leaf < 1) return;
        word(Register::leaf1_ecx) = cpuid(1, 0).ecx;
        if (last_leaf >= 7) {
            const CpuidResult leaf7 = cpuid(7, 0);
            word(Register::leaf7_ebx) = leaf7.ebx;
            word(Register::leaf7_ecx) = leaf7.ecx;
            if (leaf7.eax >= 1) word(Register::leaf7_1_eax) = cpuid(7, 1).eax;
        }
        constexpr int osxsave_bit = 27;  // without it XGETBV is an illegal instruction
        if (!bit_set(word(Register::leaf1_ecx), osxsave_bit)) return;
        constexpr uint64_t xmm_and_ymm = 0x06;
        constexpr uint64_t opmask_and_zmm = 0xe0;
        const uint64_t saved = xcr0();
        saves_ymm = (saved & xmm_and_ymm) == xmm_and_ymm;
        saves_zmm = saves_ymm && (saved & opmask_and_zmm) == opmask_and_zmm;
    }

    uint32_t &word(Register which) { return words[static_cast<int>(which)]; }

    bool has(const Feature &feature) const {
        if (feature.state == State::ymm && !saves_ymm) return false;
        if (feature.state == State::zmm && !saves_zmm) return false;
        return bit_set(words[static_cast<int>(feature.word)], feature.bit);
    }
};

CpuFeatures detect() {
    const Machine machine;
    CpuFeatures found = {};
    for (const Feature &feature : features_table) found.*feature.flag = machine.has(feature);
    return found;
}

#else

CpuFeatures detect() { return {}; }

#endif

}  // namespace

const CpuFeatures &cpu_features() {
    static const CpuFeatures found = detect();
    return found;
}

std::string feature_names(const CpuFeatures &features) {
    std::string text;
    for (const Feature &feature : features_table) {
        if (!(features.*feature.flag)) continue;
        if (!text.empty()) text += ' ';
        text += feature.name;
    }
    return text;
}

}  // namespace llm
