// Texts of 10 MiB that are unkind to tokenizers, and what tokenizing them may take.
#pragma once

#include "tokenizer/tokenizer.h"

namespace llm::test {

// On a thread with a stack of 256 KiB: each text takes less than 2 seconds of processor time (when optimized and not
// sanitized) and at most 48 bytes of memory for each of its own, and comes back from its tokens if it is well-formed
// and the kind of tokenizer keeps texts.
void check_long_texts(const Tokenizer &tokenizer);

}  // namespace llm::test
