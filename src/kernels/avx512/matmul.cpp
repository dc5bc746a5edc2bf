// Registers the AVX-512 matrix kernels.
#include "kernels/avx512/matmul_kernels.h"
#include "kernels/avx512/matmul_terms.h"
#include "kernels/fill.h"

namespace llm::avx512 {

namespace {

size_t scratch_bytes(uint32_t) { return sizeof(TokenTerms); }

}  // namespace

void fill_matmul(KernelTable &table) {
    fill_matmul_units(table);
    fill_matmul_blocks(table);
    fill_matmul_float(table);
    table.matmul_scratch_bytes = scratch_bytes;
}

}  // namespace llm::avx512
