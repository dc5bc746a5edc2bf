// Long texts with the vocabularies of two public models (shared/tokenizer).
#include "gguf/gguf_file.h"
#include "io/byte_source.h"
#include "support/test_data.h"
#include "tokenizer/tokenizer.h"
#include "unit/tokenizer/long_texts.h"

#include <boost/test/unit_test.hpp>

#include <string>

namespace llm::test {

BOOST_AUTO_TEST_CASE(long_texts) {
    for (const std::string name :
         {"tokenizer/vocab/ggml-vocab-llama-bpe.gguf", "tokenizer/vocab/ggml-vocab-llama-spm.gguf"}) {
        if (!have_data(name)) return;
        const auto source = open_file_source((data_folder() / name).string());
        BOOST_TEST_CONTEXT(name) { check_long_texts(Tokenizer(GgufFile::parse(*source))); }
    }
}

}  // namespace llm::test
