// A complete small BERT for tests, the same bytes on every machine.
#pragma once

#include "support/gguf_builder.h"

namespace llm::test {

// Two layers, embedding 64, 2 heads of 32, feed-forward 256, 600 positions, pooling 2 (the first token). The
// vocabulary: 0 "[PAD]", 1 "[UNK]", 2 "[CLS]" (added in front), 3 "[SEP]" (added behind), and from 4 on the letters a
// to z as words. Matrices are F32 but for attn_q (Q8_0), attn_output (F16) and ffn_down (Q4_K).
GgufBuilder tiny_bert();

constexpr uint32_t tiny_bert_vocabulary_size = 30, tiny_bert_width = 64, tiny_bert_positions = 600;

}  // namespace llm::test
