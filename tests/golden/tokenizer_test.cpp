// The vocabularies of seven public models against the ids that a reference engine gives (shared/tokenizer).
#include "golden/tokenizer_golden.h"

namespace llm::test {

namespace {

void check(const char *name) {
    const std::string vocabulary = concat("tokenizer/vocab/ggml-vocab-", name, ".gguf");
    if (have_data(vocabulary)) check_vocabulary((data_folder() / vocabulary).string(), name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(gpt2) { check("gpt-2"); }
BOOST_AUTO_TEST_CASE(llama3) { check("llama-bpe"); }
BOOST_AUTO_TEST_CASE(qwen2) { check("qwen2"); }
BOOST_AUTO_TEST_CASE(starcoder) { check("starcoder"); }
BOOST_AUTO_TEST_CASE(deepseek_llm) { check("deepseek-llm"); }
BOOST_AUTO_TEST_CASE(llama2) { check("llama-spm"); }
BOOST_AUTO_TEST_CASE(phi3) { check("phi-3"); }

}  // namespace llm::test
