// The vocabulary of a real model against the ids that a reference engine gives (shared/tokenizer).
#include "golden/tokenizer_golden.h"

namespace llm::test {

BOOST_AUTO_TEST_CASE(smollm2) { check_model("LLM_TEST_SMOLLM2", "SmolLM2-135M-Instruct.Q4_1"); }

}  // namespace llm::test
