// Files that other programs wrote. The expected facts come from the gguf package of Python:
//   python3 -c "import gguf, sys; r = gguf.GGUFReader(sys.argv[1]); print(len(r.tensors), r.data_offset,
//               len([k for k in r.fields if not k.startswith('GGUF.')]))" FILE
// and, for values, from r.fields[KEY].contents().
#include "gguf/gguf_file.h"
#include "support/test_data.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace llm;
using llm::test::data_folder;
using llm::test::have_data;

namespace {

struct Facts {
    std::string file;
    std::string architecture;
    size_t tensors, keys, tokens;  // no tokens: the file has no vocabulary
    uint64_t data_offset;
};

const Facts all_facts[] = {
    {"tokenizer/vocab/ggml-vocab-deepseek-llm.gguf", "llama", 0, 23, 102400, 3970176},
    {"tokenizer/vocab/ggml-vocab-gpt-2.gguf", "gpt2", 0, 16, 50257, 1766816},
    {"tokenizer/vocab/ggml-vocab-llama-bpe.gguf", "llama", 0, 20, 128256, 7818144},
    {"tokenizer/vocab/ggml-vocab-llama-spm.gguf", "llama", 0, 22, 32000, 723872},
    {"tokenizer/vocab/ggml-vocab-phi-3.gguf", "phi3", 0, 26, 32064, 726048},
    {"tokenizer/vocab/ggml-vocab-qwen2.gguf", "qwen2", 0, 20, 151936, 5928704},
    {"tokenizer/vocab/ggml-vocab-starcoder.gguf", "starcoder2", 0, 19, 49152, 1719360},
    {"golden/arch/tiny-gemma.gguf", "gemma", 29, 22, 1024, 23840},
    {"golden/arch/tiny-gemma3.gguf", "gemma3", 106, 24, 1024, 28448},
    {"golden/arch/tiny-gpt-oss.gguf", "gpt-oss", 60, 28, 1024, 30400},
    {"golden/arch/tiny-gpt2.gguf", "gpt2", 40, 17, 1024, 28480},
    {"golden/arch/tiny-llama.gguf", "llama", 30, 20, 1024, 23808},
    {"golden/arch/tiny-llama-yarn.gguf", "llama", 30, 23, 1024, 23936},
    {"golden/arch/tiny-llama-yarn.golden.gguf", "golden", 8, 4, 0, 736},
    {"golden/arch/tiny-mixtral.gguf", "llama", 33, 22, 1024, 24192},
    {"golden/arch/tiny-phi3.gguf", "phi3", 21, 20, 1024, 23264},
    {"golden/arch/tiny-qwen3moe.gguf", "qwen3moe", 39, 22, 1024, 28928},
    {"golden/arch/tiny-smollm3.gguf", "smollm3", 74, 19, 1024, 30752},
    {"golden/arch/tiny-starcoder2.gguf", "starcoder2", 51, 19, 1024, 29184},
    {"golden/quant/blocks.gguf", "golden", 42, 1, 0, 2048},
    {"golden/quant/tiny-wide-q4_k_m.gguf", "llama", 21, 21, 1024, 27680},
    {"golden/quant/tiny-wide-tq2_0.gguf", "llama", 21, 21, 1024, 27680},
};

GgufFile open(const std::string &name) { return GgufFile::parse(*open_file_source((data_folder() / name).string())); }

}  // namespace

BOOST_AUTO_TEST_CASE(counts_agree_with_another_reader) {
    for (const Facts &facts : all_facts) {
        if (!have_data(facts.file)) return;
        BOOST_TEST_CONTEXT(facts.file) {
            const GgufFile file = open(facts.file);
            BOOST_TEST(file.version() == 3u);
            BOOST_TEST(file.get<std::string_view>("general.architecture") == facts.architecture);
            BOOST_TEST(file.tensors().size() == facts.tensors);
            BOOST_TEST(file.keys().size() == facts.keys);
            BOOST_TEST(file.data_offset() == facts.data_offset);
            const auto tokens = file.find_strings("tokenizer.ggml.tokens");
            BOOST_TEST((tokens ? tokens->size() : 0) == facts.tokens);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_file_of_the_reference_data_is_read) {
    if (!have_data("golden") || !have_data("tokenizer/vocab")) return;
    size_t count = 0;
    for (const char *folder : {"golden", "tokenizer/vocab"}) {
        for (const auto &entry : std::filesystem::recursive_directory_iterator(data_folder() / folder)) {
            if (entry.path().extension() != ".gguf") continue;
            ++count;
            BOOST_TEST_CONTEXT(entry.path().string()) {
                const auto source = open_file_source(entry.path().string());
                const GgufFile file = GgufFile::parse(*source);
                for (const GgufTensor &tensor : file.tensors()) BOOST_TEST(tensor.traits);
            }
        }
    }
    BOOST_TEST(count >= std::size(all_facts));
}

BOOST_AUTO_TEST_CASE(values_agree_with_another_reader) {
    if (!have_data(all_facts[2].file)) return;
    const GgufFile vocabulary = open("tokenizer/vocab/ggml-vocab-llama-bpe.gguf");
    BOOST_TEST(vocabulary.get<std::string_view>("general.name") == "llama-bpe");
    BOOST_TEST(vocabulary.get<uint32_t>("llama.feed_forward_length") == 14336u);
    BOOST_TEST(vocabulary.get<float>("llama.rope.freq_base") == 500000.0f);
    BOOST_TEST(vocabulary.get<float>("llama.attention.layer_norm_rms_epsilon") == 9.999999747378752e-06f);
    const GgufStrings tokens = vocabulary.get_strings("tokenizer.ggml.tokens");
    BOOST_TEST(tokens[0] == "!");
    BOOST_TEST(tokens[64128] == "\":[-");
    BOOST_TEST(tokens[128255] == "<|reserved_special_token_250|>");
    BOOST_TEST(vocabulary.get_strings("tokenizer.ggml.merges").size() == 280147u);
    BOOST_TEST(vocabulary.get_strings("tokenizer.ggml.merges")[0] == "Ġ Ġ");
    BOOST_TEST(vocabulary.get_array<int32_t>("tokenizer.ggml.token_type")[128255] == 3);

    const GgufFile model = open("golden/arch/tiny-llama-yarn.gguf");
    BOOST_TEST(model.get<bool>("tokenizer.ggml.add_bos_token") == true);
    BOOST_TEST(model.get<std::string_view>("llama.rope.scaling.type") == "yarn");
    BOOST_TEST(model.get_array<float>("tokenizer.ggml.scores")[1023] == -764.0f);
    const GgufTensor *norm = model.find_tensor("output_norm.weight");
    BOOST_REQUIRE(norm);
    BOOST_TEST(norm->dimensions[0] == 64u);
    BOOST_TEST(norm->byte_count == 256u);
    BOOST_TEST(norm->offset == 286080u);
}
