// What llm_memory_estimate() says of a model that was opened for its metadata is what model and context then take.
#include "support/session.h"
#include "support/test_data.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace llm::test {

namespace {

using Bytes = std::vector<uint8_t>;

llm_memory estimate(const llm_model *model, const llm_context_options &options) {
    llm_memory memory = LLM_MEMORY_INIT;
    check(llm_memory_estimate(&memory, model, &options));
    return memory;
}

// Some of many shapes of a context.
std::vector<llm_context_options> contexts() {
    std::vector<llm_context_options> list(1, llm_context_options LLM_CONTEXT_OPTIONS_INIT);
    int32_t turn = 0;
    for (const int32_t type : {LLM_CACHE_Q16, LLM_CACHE_F16, LLM_CACHE_F32, LLM_CACHE_BF16, LLM_CACHE_Q8_0}) {
        llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
        options.cache_type_k = type;
        options.cache_type_v = LLM_CACHE_Q8_0 - type;
        options.context_length = 1 + 51 * turn;
        options.batch_size = 1 + 20 * turn;
        options.threads = 1 + turn % 3;
        options.max_sequences = 1 + turn;
        options.window_cache = turn % 2 == 0 ? LLM_WINDOW_CACHE_RING : LLM_WINDOW_CACHE_FULL;
        list.push_back(options);
        ++turn;
    }
    return list;
}

void check_context(const llm_model *metadata, llm_model *model, const llm_context_options &options) {
    const llm_memory memory = estimate(metadata, options);
    Session session(model, options);
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    check(llm_context_get_info(&info, session.get()));
    BOOST_TEST(memory.cache_bytes == info.cache_bytes);
    BOOST_TEST(memory.scratch_bytes == info.scratch_bytes);
    BOOST_TEST(memory.context_length == info.context_length);
    BOOST_TEST(memory.batch_size == info.batch_size);
    BOOST_TEST(memory.threads == info.threads);
    BOOST_TEST(memory.max_sequences == info.max_sequences);
    BOOST_TEST(estimate(model, options).scratch_bytes == info.scratch_bytes);
}

void check_model(const Bytes &bytes, int32_t load) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.load = load;
    const ModelPointer model = open_model(bytes, &options);
    options.open = LLM_OPEN_METADATA;
    const ModelPointer metadata = open_model(bytes, &options);

    llm_model_info info = LLM_MODEL_INFO_INIT;
    check(llm_model_get_info(&info, model.get()));
    const llm_memory memory = estimate(metadata.get(), LLM_CONTEXT_OPTIONS_INIT);
    BOOST_TEST(memory.weight_bytes == info.weight_bytes);
    BOOST_TEST((memory.mapped_bytes != 0) == (load == LLM_LOAD_MAPPED));
    BOOST_TEST(memory.mapped_bytes <= info.tensor_bytes);
    for (const llm_context_options &context : contexts()) check_context(metadata.get(), model.get(), context);
}

void check_both_loads(const Bytes &bytes) {
    check_model(bytes, LLM_LOAD_PACKED);
    check_model(bytes, LLM_LOAD_MAPPED);
}

Bytes file_bytes(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_small_models) {
    check_both_loads(tiny_llama().bytes());
    check_both_loads(tiny_bert().bytes());
}

BOOST_AUTO_TEST_CASE(of_every_architecture) {
    if (!have_data("golden/arch")) return;
    int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(data_folder() / "golden/arch")) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(".gguf") || name.ends_with(".golden.gguf")) continue;
        BOOST_TEST_CONTEXT(name) { check_both_loads(file_bytes(entry.path())); }
        ++count;
    }
    BOOST_TEST(count > 0);
}

// Nothing is allocated, so that memory which no machine has can be asked for.
BOOST_AUTO_TEST_CASE(of_what_does_not_fit) {
    constexpr int32_t longest = 1 << 24;
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    const ModelPointer model = open_model(tiny_llama().bytes(), &options);
    llm_context_options context = precise_options(longest);
    context.max_sequences = 1000;
    const llm_memory memory = estimate(model.get(), context);
    // Keys and values, 2 heads of 64 floats, for each position of each sequence.
    BOOST_TEST(memory.cache_bytes >= uint64_t{longest} * 1000 * 2 * 2 * 64 * 4);
    BOOST_TEST(memory.context_length == uint32_t{longest});
}

BOOST_AUTO_TEST_CASE(of_models_that_cannot_be_run) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    const auto refused = [&](const GgufBuilder &builder, llm_status status, const std::string &word) {
        const ModelPointer model = open_model(builder.bytes(), &options);
        llm_memory memory = LLM_MEMORY_INIT;
        BOOST_TEST(llm_memory_estimate(&memory, model.get(), nullptr) == status);
        BOOST_TEST(last_error().find(word) != std::string::npos, last_error());
        BOOST_TEST(memory.weight_bytes == 0u);
    };
    refused(tiny_llama().set("general.architecture", "strange"), LLM_ERROR_UNSUPPORTED, "strange");
    refused(tiny_llama().remove_tensor("output_norm.weight"), LLM_ERROR_MODEL, "output_norm.weight");
    refused(tiny_llama().remove("tokenizer.ggml.tokens"), LLM_ERROR_VOCABULARY, "tokenizer.ggml.tokens");
}

}  // namespace llm::test
