// The matrix products of F32, F16 and BF16 weights.
#pragma once

#include "kernels/kernel_table.h"

namespace llm::avx2 {

void matmul_f32(const MatmulArgs &args);
void matmul_f16(const MatmulArgs &args);
void matmul_bf16(const MatmulArgs &args);

}  // namespace llm::avx2
