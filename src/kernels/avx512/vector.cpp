// Placeholder
#include "kernels/fill.h"

namespace llm::avx512 {

void fill_vector(KernelTable &) {}

}  // namespace llm::avx512
