// The kernel tiers of this machine.
#pragma once

#include "kernels/kernel_table.h"

#include <vector>

namespace llm::test {

// All of them, the scalar one first.
inline std::vector<const KernelTable *> tiers() {
    std::vector<const KernelTable *> found;
    for (const char *name : {"scalar", "avx2", "avx512"})
        if (const KernelTable *table = kernel_table(name)) found.push_back(table);
    return found;
}

}  // namespace llm::test
