// Placeholder
#include "kernels/fill.h"

namespace llm::avx2 {

void fill_attention(KernelTable &) {}

}  // namespace llm::avx2
