// The matrix kernels of the formats with blocks of 256 elements.
#include "kernels/avx512/matmul_quantized.h"

namespace llm::avx512 {

void fill_matmul_blocks(KernelTable &table) {
    set_kernel(table, TensorType::q2_k, multiply<Q2_K>);
    set_kernel(table, TensorType::q3_k, multiply<Q3_K>);
    set_kernel(table, TensorType::q4_k, multiply<Q4_K>);
    set_kernel(table, TensorType::q5_k, multiply<Q5_K>);
    set_kernel(table, TensorType::q6_k, multiply<Q6_K>);
    set_kernel(table, TensorType::iq4_xs, multiply<IQ4_XS>);
}

}  // namespace llm::avx512
