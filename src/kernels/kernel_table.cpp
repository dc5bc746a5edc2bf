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

size_t cache_page_bytes(CacheType type, uint32_t head_length) {
    const size_t elements = size_t{page_positions} * head_length;
    const auto scales = [](size_t blocks) { return blocks * page_positions * sizeof(float); };
    switch (type) {
        case CacheType::q16:
            return scales(1) + elements * 2;
        case CacheType::q8:
            return scales((head_length + q8_block_length - 1) / q8_block_length) + elements;
        case CacheType::f32:
            return elements * 4;
        case CacheType::f16:
        case CacheType::bf16:
            break;
    }
    return elements * 2;
}

const KernelTable *kernel_table(const char *tier_name) {
    const Tiers &all = tiers();
    for (int i = 0; i < all.count; ++i)
        if (std::strcmp(all.table[i].name, tier_name) == 0) return &all.table[i];
    return nullptr;
}

}  // namespace llm
