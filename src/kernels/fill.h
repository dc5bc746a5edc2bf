// What each tier contributes to the kernel table, by family of kernels. The scalar functions fill their slots
// completely; the others overwrite those that they have a faster kernel for.
#pragma once

#include "kernels/kernel_table.h"

namespace llm {

namespace scalar {
void fill_matmul(KernelTable &table);
void fill_vector(KernelTable &table);
void fill_attention(KernelTable &table);
}  // namespace scalar

namespace avx2 {
void fill_matmul(KernelTable &table);
void fill_vector(KernelTable &table);
void fill_attention(KernelTable &table);
}  // namespace avx2

namespace avx512 {
void fill_matmul(KernelTable &table);
void fill_vector(KernelTable &table);
void fill_attention(KernelTable &table);
}  // namespace avx512

}  // namespace llm
