// The matrix kernels of the formats with blocks of 32 elements.
#include "kernels/avx512/matmul_quantized.h"

namespace llm::avx512 {

void fill_matmul_units(KernelTable &table) {
    set_kernel(table, TensorType::q4_0, multiply<Q4_0>);
    set_kernel(table, TensorType::q4_1, multiply<Q4_1>);
    set_kernel(table, TensorType::q5_0, multiply<Q5_0>);
    set_kernel(table, TensorType::q5_1, multiply<Q5_1>);
    set_kernel(table, TensorType::q8_0, multiply<Q8_0>);
    set_kernel(table, TensorType::iq4_nl, multiply<IQ4_NL>);
    set_kernel(table, TensorType::mxfp4, multiply<MXFP4>);
}

}  // namespace llm::avx512
