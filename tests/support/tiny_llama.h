// A complete small Llama model for tests: 2 MB, the same bytes on every machine.
#pragma once

#include "support/gguf_builder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace llm::test {

// One layer, embedding 256, 4 heads of 64 and 2 key-value heads, feed-forward 512, context 128. The vocabulary has
// 300 tokens: the 256 bytes in GPT-2's spelling, in the order of their values (so token b is byte b), 41 merged
// pieces, and the control tokens 297 "<|begin|>" (BOS, added in front), 298 "<|end|>" (EOS), 299 "<|turn|>" (EOT).
// Tensors are F32 but for ffn_gate (Q4_K), attn_q (Q8_0) and ffn_up (F16); the weights are random and of a size
// that keeps activations and logits moderate. Keys and tensors may be changed before build(). `more_controls` become
// the control tokens from 300 on.
GgufBuilder tiny_llama(const std::vector<std::string> &more_controls = {});

constexpr uint32_t tiny_llama_vocabulary_size = 300;

// GPT-2's spelling of a byte, as UTF-8: printable Latin-1 characters stand for themselves, the others for 256 on.
std::string gpt2_byte_spelling(uint8_t byte);

}  // namespace llm::test
