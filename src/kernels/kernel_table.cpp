#include "kernels/kernel_table.h"

#include "base/cpu_features.h"
#include "kernels/fill.h"

#include <cstring>

namespace llm {

namespace {

void fill_scalar(KernelTable &table) {
    table.name = "scalar";
    scalar::fill_matmul(table);
    scalar::fill_vector(table);
    scalar::fill_attention(table);
}

#ifdef LLM_HAVE_X86_TIERS
bool has_avx2(const CpuFeatures &cpu) { return cpu.avx2 && cpu.fma && cpu.f16c; }

void fill_avx2(KernelTable &table) {
    table.name = "avx2";
    avx2::fill_matmul(table);
    avx2::fill_vector(table);
    avx2::fill_attention(table);
}

bool has_avx512(const CpuFeatures &cpu) {
    return has_avx2(cpu) && cpu.avx512f && cpu.avx512bw && cpu.avx512vl && cpu.avx512dq && cpu.avx512vnni;
}

void fill_avx512(KernelTable &table) {
    table.name = "avx512";
    avx512::fill_matmul(table);
    avx512::fill_vector(table);
    avx512::fill_attention(table);
}
#endif

// The tables of all tiers that this machine has, in ascending order; each starts as a copy of the one below it.
struct Tiers {
    KernelTable table[3] = {};
    int count = 0;

    Tiers() {
        fill_scalar(table[count++]);
#ifdef LLM_HAVE_X86_TIERS
        const CpuFeatures &cpu = cpu_features();
        if (!has_avx2(cpu)) return;
        table[count] = table[count - 1];
        fill_avx2(table[count++]);
        if (!has_avx512(cpu)) return;
        table[count] = table[count - 1];
        fill_avx512(table[count++]);
#endif
    }
};

const Tiers &tiers() {
    static const Tiers all;
    return all;
}

}  // namespace

const KernelTable *kernel_table(const char *tier_name) {
    const Tiers &all = tiers();
    for (int i = 0; i < all.count; ++i)
        if (std::strcmp(all.table[i].name, tier_name) == 0) return &all.table[i];
    return nullptr;
}

}  // namespace llm
