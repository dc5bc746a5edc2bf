// Placeholder
#include "kernels/fill.h"

namespace llm::avx512 {

void fill_attention(KernelTable &) {}

}  // namespace llm::avx512
