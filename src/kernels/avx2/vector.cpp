// Placeholder
#include "kernels/fill.h"

namespace llm::avx2 {

void fill_vector(KernelTable &) {}

}  // namespace llm::avx2
