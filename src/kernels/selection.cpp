#include "kernels/selection.h"

#include "base/error.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace llm {

namespace {

constexpr const char *tier_names[] = {"scalar", "avx2", "avx512"};  // ascending

std::atomic<const KernelTable *> active{nullptr};

const KernelTable &best_table() {
    const KernelTable *best = nullptr;
    for (const char *name : tier_names)
        if (const KernelTable *table = kernel_table(name)) best = table;
    return *best;  // scalar is always there
}

// `origin` says who named the tier.
const KernelTable &table_by_name(const char *tier, const char *origin) {
    if (!tier || std::strcmp(tier, "auto") == 0) return best_table();
    const bool known = std::any_of(std::begin(tier_names), std::end(tier_names),
                                   [tier](const char *name) { return std::strcmp(name, tier) == 0; });
    if (!known)
        fail(LLM_ERROR_ARGUMENT, origin, " names the kernel tier ", quoted(tier),
             ", known are auto, scalar, avx2, avx512");
    const KernelTable *table = kernel_table(tier);
    if (!table)
        fail(LLM_ERROR_UNSUPPORTED, origin, " names the kernel tier ", quoted(tier), ", this machine has ",
             available_tiers(", "));
    return *table;
}

// Makes `table` the active one unless there is one already; returns the active one.
const KernelTable &activate(const KernelTable &table) {
    const KernelTable *expected = nullptr;
    return active.compare_exchange_strong(expected, &table) ? table : *expected;
}

}  // namespace

const KernelTable &active_kernels() {
    if (const KernelTable *table = active.load()) return *table;
    const char *environment = std::getenv("LLM_CPU");
    return activate(table_by_name(environment && *environment ? environment : nullptr, "LLM_CPU"));
}

void select_kernels(const char *tier) {
    const KernelTable &wanted = table_by_name(tier, "llm_cpu_select");
    const KernelTable &chosen = activate(wanted);
    if (&chosen != &wanted)
        fail(LLM_ERROR_STATE, "kernel tier ", chosen.name, " is in use already, ", wanted.name, " was asked for");
}

std::string available_tiers(const char *separator) {
    std::string out;
    for (const char *name : tier_names)
        if (kernel_table(name)) out += (out.empty() ? "" : separator) + std::string(name);
    return out;
}

}  // namespace llm
