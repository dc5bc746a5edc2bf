// The parts that the AVX-512 matrix kernels are registered in, one for each file.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/kernel_table.h"

namespace llm::avx512 {

void fill_matmul_units(KernelTable &table);   // formats with blocks of 32
void fill_matmul_blocks(KernelTable &table);  // formats with blocks of 256
void fill_matmul_float(KernelTable &table);

LLM_SIMD void set_kernel(KernelTable &table, TensorType type, MatmulKernel kernel) {
    table.matmul[static_cast<uint32_t>(type)] = kernel;
}

// For cutting `count` items into parts of at most `limit`, all as equal as can be: the length of the next part.
LLM_SIMD uint32_t next_part(uint32_t count, uint32_t limit) {
    const uint32_t parts = (count + limit - 1) / limit;
    return (count + parts - 1) / parts;
}

}  // namespace llm::avx512
