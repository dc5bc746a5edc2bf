// The vocabulary of a real model against the ids that a reference engine gives (shared/tokenizer).
#include "golden/tokenizer_golden.h"

namespace llm::test {

BOOST_AUTO_TEST_CASE(gemma3) { check_model("LLM_TEST_GEMMA3", "gemma-3-270m-q4_k_m"); }

}  // namespace llm::test
