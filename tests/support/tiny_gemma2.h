// A complete small Gemma 2 for tests, the same bytes on every machine.
#pragma once

#include "support/gguf_builder.h"

namespace llm::test {

// Two layers, of which the first sees a window of that many positions and the second everything; embedding 64, 2 heads
// of 32 and one key-value head, feed-forward 128. Matrices are F32. The vocabulary is that of tiny_llama().
GgufBuilder tiny_gemma2(uint32_t window);

}  // namespace llm::test
