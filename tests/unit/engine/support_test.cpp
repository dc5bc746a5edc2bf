// llm_model_support(): what a file needs, and that it agrees with opening the file, whatever is wrong with that.
#include "support/session.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

namespace llm::test {

namespace {

using Json = nlohmann::json;

Json support(const llm_model *model) {
    size_t length = 0;
    BOOST_TEST(llm_model_support(nullptr, 0, &length, model) == LLM_BUFFER_TOO_SMALL);
    std::string text(length, '\0');
    check(llm_model_support(text.data(), text.size(), &length, model));
    return Json::parse(text);
}

Json support(const GgufBuilder &builder, const char *pre_tokenizer = nullptr) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    options.pre_tokenizer = pre_tokenizer;
    return support(open_model(builder.bytes(), &options).get());
}

// Opening fails, or not, as the report says; returns the report.
Json check_agreement(const GgufBuilder &builder) {
    const Json report = support(builder);
    const auto bytes = builder.bytes();
    llm_model *model = nullptr;
    const llm_status status = llm_model_open_memory(&model, bytes.data(), bytes.size(), nullptr);
    const std::string problem = status == LLM_OK ? "" : last_error();
    llm_model_close(model);
    BOOST_TEST(report["problem"] == problem);
    BOOST_TEST(report["runnable"] == (status == LLM_OK));
    return report;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_model_needs) {
    const Json report = check_agreement(tiny_llama());
    BOOST_TEST(report["runnable"] == true);
    BOOST_TEST(report["architecture"] == Json({{"name", "llama"}, {"supported", true}}));
    BOOST_TEST(report["tokenizer"] == Json({{"name", "gpt2"}, {"supported", true}}));
    BOOST_TEST(report["pre_tokenizer"] == Json({{"name", "gpt-2"}, {"supported", true}}));
    BOOST_TEST(report["rope_scaling"] == Json({{"name", "none"}, {"supported", true}}));
    Json types = Json::array();
    for (const char *name : {"F16", "F32", "Q4_K", "Q8_0"}) types.push_back({{"name", name}, {"supported", true}});
    BOOST_TEST(report["tensor_types"] == types);
    BOOST_TEST(support(open_model(tiny_llama().bytes()).get()) == report);
    BOOST_TEST(check_agreement(tiny_bert())["runnable"] == true);
}

BOOST_AUTO_TEST_CASE(rope_schemes) {
    const auto scheme = [](const GgufBuilder &builder) { return check_agreement(builder)["rope_scaling"]["name"]; };
    for (const char *word : {"none", "linear", "yarn", "longrope"})
        BOOST_TEST(scheme(tiny_llama().set("llama.rope.scaling.type", word)) == word);
    BOOST_TEST(scheme(tiny_llama().set("llama.rope.scale_linear", 4.0f)) == "linear");
    const std::vector<uint8_t> ones = ByteWriter().put(std::string_view("\0\0\x80\x3f", 4)).bytes();
    std::vector<uint8_t> factors;
    for (int pair = 0; pair < 32; ++pair) factors.insert(factors.end(), ones.begin(), ones.end());
    BOOST_TEST(scheme(tiny_llama().add_tensor("rope_freqs.weight", {32}, 0, factors)) == "llama3");
    BOOST_TEST(scheme(tiny_llama()
                          .add_tensor("rope_factors_long.weight", {32}, 0, factors)
                          .add_tensor("rope_factors_short.weight", {32}, 0, factors)) == "longrope");
    const Json unknown = check_agreement(tiny_llama().set("llama.rope.scaling.type", "spiral"));
    BOOST_TEST(unknown["rope_scaling"] == Json({{"name", "spiral"}, {"supported", false}}));
}

BOOST_AUTO_TEST_CASE(whatever_is_wrong) {
    constexpr uint32_t type_i8 = 24;
    const std::vector<uint8_t> bytes(256 * 128);
    const std::vector<GgufBuilder> wrong = {
        tiny_llama().set("general.architecture", "strange"),
        tiny_llama().remove("general.architecture"),
        tiny_llama().set("general.architecture", uint32_t{3}),
        tiny_llama().set("tokenizer.ggml.model", "strange"),
        tiny_llama().set("tokenizer.ggml.pre", "strange"),
        tiny_llama().remove("tokenizer.ggml.tokens"),
        tiny_llama().set("tokenizer.ggml.bos_token_id", uint32_t{300}),
        tiny_llama().set("llama.vocab_size", uint32_t{299}),
        tiny_llama().remove("llama.block_count"),
        tiny_llama().set("llama.block_count", uint32_t{2}),
        tiny_llama().set("llama.attention.head_count", uint32_t{3}),
        tiny_llama().set("llama.attention.head_count_kv", uint32_t{3}),
        tiny_llama().set("llama.attention.layer_norm_rms_epsilon", 0.0f),
        tiny_llama().set("llama.rope.freq_base", -1.0f),
        tiny_llama().set("llama.rope.dimension_count", uint32_t{63}),
        tiny_llama().set("llama.expert_count", uint32_t{8}),
        tiny_llama().remove_tensor("blk.0.ffn_up.weight"),
        tiny_llama().reshape_tensor("blk.0.attn_k.weight", {128, 256}, type_i8, bytes),
        tiny_llama().reshape_tensor("blk.0.attn_k.weight", {256, 128}, type_i8, bytes),
        tiny_bert().set("bert.expert_count", uint32_t{2}),
        tiny_bert().set("bert.pooling_type", uint32_t{9}),
        tiny_bert().set("bert.attention.causal", true),
        tiny_llama().set("llama.attention.causal", false),
        tiny_llama().set("split.no", uint32_t{0}).set("split.count", uint32_t{2}),
    };
    for (size_t i = 0; i < wrong.size(); ++i) BOOST_TEST_CONTEXT("case " << i) {
            BOOST_TEST(check_agreement(wrong[i])["runnable"] == false);
        }
}

BOOST_AUTO_TEST_CASE(types_that_cannot_be_computed_with) {
    constexpr uint32_t type_i8 = 24;
    const std::vector<uint8_t> bytes(256 * 128);
    const Json wrong = check_agreement(tiny_llama().reshape_tensor("blk.0.attn_k.weight", {256, 128}, type_i8, bytes));
    BOOST_TEST(wrong["tensor_types"].dump().find(R"({"name":"I8","supported":false})") != std::string::npos);
    // Of a tensor that nothing reads they do not matter.
    const Json fine = check_agreement(tiny_llama().add_tensor("unknown", {256, 128}, type_i8, bytes));
    BOOST_TEST(fine["runnable"] == true);
    BOOST_TEST(fine["tensor_types"].dump().find("I8") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_pre_tokenizer_of_the_options_counts) {
    const GgufBuilder builder = tiny_llama().set("tokenizer.ggml.pre", "strange");
    BOOST_TEST(support(builder)["runnable"] == false);
    BOOST_TEST(support(builder, "gpt-2")["runnable"] == true);
    BOOST_TEST(support(builder, "gpt-2")["pre_tokenizer"]["name"] == "gpt-2");
}

}  // namespace llm::test
