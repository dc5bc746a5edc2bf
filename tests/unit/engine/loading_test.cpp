// Opening models through the C API: what is refused, with which words, and what is left behind.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <fstream>

namespace llm::test {

namespace {

void refused(const GgufBuilder &builder, llm_status expected, const std::string &word) {
    const auto bytes = builder.bytes();
    BOOST_TEST_CONTEXT("word " << word) {
        auto *model = reinterpret_cast<llm_model *>(1);
        BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), nullptr) == expected);
        BOOST_TEST(model == nullptr);
        BOOST_TEST(last_error().find(word) != std::string::npos, last_error());
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_tensor_is_needed) {
    for (const std::string name :
         {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.0.attn_q.weight",
          "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.attn_output.weight", "blk.0.ffn_norm.weight",
          "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"})
        refused(tiny_llama().remove_tensor(name), LLM_ERROR_MODEL, name);
    // Without an output matrix the embedding serves.
    BOOST_CHECK_NO_THROW(open_model(tiny_llama().remove_tensor("output.weight").bytes()));
}

BOOST_AUTO_TEST_CASE(shapes_must_fit) {
    const auto floats = [](size_t count) { return std::vector<uint8_t>(4 * count, 0); };
    refused(tiny_llama().reshape_tensor("blk.0.attn_k.weight", {128, 256}, 0, floats(128 * 256)), LLM_ERROR_MODEL,
            "blk.0.attn_k.weight");
    refused(tiny_llama().reshape_tensor("blk.0.attn_k.weight", {256, 127}, 0, floats(256 * 127)), LLM_ERROR_MODEL,
            "[256, 127]");
    refused(tiny_llama().reshape_tensor("output_norm.weight", {255}, 0, floats(255)), LLM_ERROR_MODEL, "[256]");
    refused(tiny_llama().reshape_tensor("token_embd.weight", {256, 299}, 0, floats(256 * 299)), LLM_ERROR_MODEL,
            "token_embd.weight");
    refused(tiny_llama().set("llama.block_count", uint32_t{2}), LLM_ERROR_MODEL, "blk.1.attn_norm.weight");
}

BOOST_AUTO_TEST_CASE(types_that_cannot_be_computed_with_are_unsupported) {
    constexpr uint32_t type_i8 = 24;
    refused(tiny_llama().reshape_tensor("blk.0.attn_k.weight", {256, 128}, type_i8, std::vector<uint8_t>(256 * 128)),
            LLM_ERROR_UNSUPPORTED, "I8");
    refused(tiny_llama().set("general.architecture", "strange"), LLM_ERROR_UNSUPPORTED, "known: llama");
    refused(tiny_llama().remove("general.architecture"), LLM_ERROR_MODEL, "general.architecture");
    refused(tiny_llama().set("tokenizer.ggml.pre", "strange"), LLM_ERROR_UNSUPPORTED, "strange");
}

BOOST_AUTO_TEST_CASE(an_option_replaces_an_unknown_pre_tokenizer) {
    const auto bytes = tiny_llama().set("tokenizer.ggml.pre", "strange").bytes();
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.pre_tokenizer = "gpt-2";
    BOOST_CHECK_NO_THROW(open_model(bytes, &options));
}

BOOST_AUTO_TEST_CASE(unknown_tensors_are_ignored) {
    BOOST_CHECK_NO_THROW(
        open_model(tiny_llama().add_tensor("blk.7.extra.weight", {4}, 0, std::vector<uint8_t>(16)).bytes()));
}

BOOST_AUTO_TEST_CASE(metadata_and_vocabulary_open_without_weights) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    const auto strange = tiny_llama().set("general.architecture", "strange").bytes();
    const ModelPointer metadata = open_model(strange, &options);
    llm_token token = 0;
    size_t count = 0;
    BOOST_TEST(llm_tokenize(&token, 1, &count, metadata.get(), "a", 1, 0) == LLM_ERROR_STATE);
    llm_context *context = nullptr;
    BOOST_TEST(llm_context_new(&context, metadata.get(), nullptr) == LLM_ERROR_STATE);

    options.open = LLM_OPEN_VOCABULARY;
    const ModelPointer vocabulary = open_model(strange, &options);
    BOOST_TEST(llm_tokenize(&token, 1, &count, vocabulary.get(), "a", 1, 0) == LLM_OK);
    BOOST_TEST(token == 'a');
    BOOST_TEST(llm_context_new(&context, vocabulary.get(), nullptr) == LLM_ERROR_STATE);
}

BOOST_AUTO_TEST_CASE(progress_rises_to_one_and_can_cancel) {
    struct Watch {
        std::vector<float> seen;
        float cancel_from;
    } watch{{}, 2.0f};
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.progress = [](void *user, float done) -> int32_t {
        auto &w = *static_cast<Watch *>(user);
        w.seen.push_back(done);
        return done >= w.cancel_from;
    };
    options.progress_user = &watch;
    const auto bytes = tiny_llama().bytes();
    open_model(bytes, &options);
    BOOST_REQUIRE(!watch.seen.empty());
    BOOST_TEST(std::is_sorted(watch.seen.begin(), watch.seen.end()));
    BOOST_TEST(watch.seen.back() == 1.0f, boost::test_tools::tolerance(1e-3f));

    watch.cancel_from = 0.2f;
    llm_model *model = nullptr;
    BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), &options) == LLM_CANCELLED);
    BOOST_TEST(model == nullptr);
}

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_show_when_a_token_is_chosen) {
    std::vector<uint8_t> nan(4 * 256, 0xFF);
    const ModelPointer model = open_model(tiny_llama().reshape_tensor("output_norm.weight", {256}, 0, nan).bytes());
    Session session(model.get(), precise_options(32));
    const llm_token token = 65;
    check(llm_eval(session.get(), 0, &token, 1, 0));
    llm_sampler *sampler = nullptr;
    check(llm_sampler_new(&sampler, nullptr));
    llm_token chosen = 0;
    BOOST_TEST(llm_sample(&chosen, sampler, session.get(), -1) == LLM_ERROR_NONFINITE);
    llm_sampler_close(sampler);
}

BOOST_AUTO_TEST_CASE(info_and_metadata_are_those_of_the_file) {
    const ModelPointer model = open_model(tiny_llama().bytes());
    llm_model_info info = LLM_MODEL_INFO_INIT;
    check(llm_model_get_info(&info, model.get()));
    BOOST_TEST(std::string(info.architecture) == "llama");
    BOOST_TEST(info.vocabulary_size == 300u);
    BOOST_TEST(info.head_length == 64u);
    BOOST_TEST(info.layer_count == 1u);
    llm_value value = LLM_VALUE_INIT;
    check(llm_metadata_get(&value, model.get(), "llama.embedding_length"));
    BOOST_TEST(value.u == 256u);
    const uint64_t index = 65;
    check(llm_metadata_element(&value, model.get(), "tokenizer.ggml.tokens", &index, 1));
    BOOST_TEST(std::string(value.text, value.text_length) == "A");
    BOOST_TEST(llm_metadata_get(&value, model.get(), "no.such.key") == LLM_ERROR_NOT_FOUND);
    llm_tensor tensor = LLM_TENSOR_INIT;
    check(llm_tensor_get(&tensor, model.get(), 0));
    BOOST_TEST(llm_tensor_get(&tensor, model.get(), llm_tensor_count(model.get())) == LLM_ERROR_NOT_FOUND);
}

}  // namespace llm::test
