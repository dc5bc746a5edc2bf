// Opening models through the C API: what is refused, with which words, and what is left behind.
#include "support/session.h"
#include "support/temporary_folder.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
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

// Memory that the process has locked; 0 where the system does not tell.
uint64_t locked_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmLck:")) return std::stoull(line.substr(6)) * 1024;
    return 0;
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
    refused(tiny_llama().set("llama.attention.causal", false), LLM_ERROR_UNSUPPORTED,
            "key 'llama.attention.causal' is false, this build has no decoders that see what follows");
}

BOOST_AUTO_TEST_CASE(unknown_tensors_are_accepted_and_logged) {
    const auto lines_of = [](const GgufBuilder &builder) {
        std::vector<std::string> lines;
        const auto add_line = [](void *user, llm_log_level, const char *text, size_t length) {
            static_cast<std::vector<std::string> *>(user)->emplace_back(text, length);
        };
        check(llm_log_set(add_line, &lines, LLM_LOG_INFO));
        open_model(builder.bytes());
        check(llm_log_set(nullptr, nullptr, LLM_LOG_INFO));
        std::erase_if(lines, [](const std::string &line) { return line.find("not used") == std::string::npos; });
        return lines;
    };
    const auto with_more = [](int count) {
        GgufBuilder builder = tiny_llama();
        builder.add_tensor("blk.7.attn_q.weight", {4}, 0, std::vector<uint8_t>(16));
        for (int i = 1; i < count; ++i) builder.add_tensor(std::string("x").append(std::to_string(i)), {1}, 24, {0});
        return builder;
    };
    BOOST_TEST(lines_of(tiny_llama()).empty());
    BOOST_TEST(lines_of(with_more(1)) ==
                   std::vector<std::string>{"1 of the file's 13 tensors are not used: 'blk.7.attn_q.weight'"},
               boost::test_tools::per_element());
    BOOST_TEST(lines_of(with_more(10)) ==
                   std::vector<std::string>{"10 of the file's 22 tensors are not used: 'blk.7.attn_q.weight', 'x1', "
                                            "'x2', 'x3', 'x4', 'x5', 'x6', 'x7', ..."},
               boost::test_tools::per_element());
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

    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED})
        for (const float from : {0.0f, 0.2f, 1.0f}) {
            watch.cancel_from = from;
            options.load = load;
            llm_model *model = nullptr;
            BOOST_TEST(llm_model_open_memory(&model, bytes.data(), bytes.size(), &options) == LLM_CANCELLED);
            BOOST_TEST(model == nullptr);
        }
}

BOOST_AUTO_TEST_CASE(verification_names_the_tensor_that_is_not_finite) {
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.verify = 1;
    constexpr uint16_t half_infinity = 0x7C00, half_nan = 0x7E00;
    const auto damaged = [](const std::string &tensor, auto value, size_t shift) {
        return tiny_llama().build().patch("tensor:" + tensor + "/data", value, shift).bytes;
    };
    struct Case {
        std::string tensor;
        std::vector<uint8_t> bytes;
        std::string place;
    };
    const std::vector<Case> cases = {
        {"output_norm.weight", damaged("output_norm.weight", std::nanf(""), 4 * 7), "column 7"},
        {"token_embd.weight", damaged("token_embd.weight", INFINITY, 4 * (256 * 299 + 3)), "row 299, column 3"},
        {"blk.0.ffn_up.weight", damaged("blk.0.ffn_up.weight", half_nan, 2 * 256), "row 1, column 0"},    // F16
        {"blk.0.attn_q.weight", damaged("blk.0.attn_q.weight", half_infinity, 34 * 8 * 20), "row 20"},    // Q8_0
        {"blk.0.ffn_gate.weight", damaged("blk.0.ffn_gate.weight", half_nan, 144 * 511 + 2), "row 511"},  // Q4_K
    };
    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED})
        for (const Case &damage : cases) {
            options.load = load;
            llm_model *model = nullptr;
            BOOST_TEST(llm_model_open_memory(&model, damage.bytes.data(), damage.bytes.size(), &options) ==
                       LLM_ERROR_MODEL);
            BOOST_TEST(last_error().find(damage.tensor) != std::string::npos, last_error());
            BOOST_TEST(last_error().find(damage.place) != std::string::npos, last_error());
            BOOST_CHECK_NO_THROW(open_model(damage.bytes));
        }
    BOOST_CHECK_NO_THROW(open_model(tiny_llama().bytes(), &options));
}

BOOST_AUTO_TEST_CASE(weights_can_be_locked_as_far_as_the_system_allows) {
    const auto bytes = tiny_llama().bytes();
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.lock = 1;
    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED}) {
        options.load = load;
        const uint64_t before = locked_bytes();
        llm_model *model = nullptr;
        const llm_status status = llm_model_open_memory(&model, bytes.data(), bytes.size(), &options);
        if (status == LLM_ERROR_NO_MEMORY) {
            BOOST_TEST(last_error().find("cannot lock") != std::string::npos, last_error());
            continue;
        }
        check(status);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which lock nothing
        BOOST_TEST(locked_bytes() >= before + 1'500'000);
#endif
        llm_model_close(model);
        BOOST_TEST(locked_bytes() == before);
    }
}

BOOST_AUTO_TEST_CASE(a_descriptor_opens_a_model_inside_a_bundle) {
    const TemporaryFolder folder;
    const auto bytes = tiny_llama().bytes();
    std::vector<uint8_t> bundle(5003, 7);
    bundle.insert(bundle.end(), bytes.begin(), bytes.end());
    bundle.resize(bundle.size() + 777, 9);
    std::FILE *file = std::fopen(folder.write("bundle", bundle).c_str(), "rb");
    BOOST_TEST_REQUIRE(file);
    const std::vector<llm_token> tokens = {1, 2, 3};
    const auto expected = Session(open_model(bytes).get(), precise_options(32)).evaluate(tokens);
    llm_model *model = nullptr;
    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED}) {
        llm_model_options options = LLM_MODEL_OPTIONS_INIT;
        options.load = load;
        check(llm_model_open_fd(&model, fileno(file), 5003, bytes.size(), &options));
        const ModelPointer owner(model);
        BOOST_TEST(Session(model, precise_options(32)).evaluate(tokens) == expected, boost::test_tools::per_element());
        for (const int32_t open : {LLM_OPEN_METADATA, LLM_OPEN_VOCABULARY}) {
            options.open = open;
            check(llm_model_open_fd(&model, fileno(file), 5003, 0, &options));  // what follows is ignored
            llm_model_close(model);
        }
    }
    BOOST_TEST(llm_model_open_fd(&model, fileno(file), 0, 0, nullptr) == LLM_ERROR_NOT_GGUF);
    BOOST_TEST(llm_model_open_fd(&model, fileno(file), 5003, bytes.size() - 1, nullptr) == LLM_ERROR_TRUNCATED);
    BOOST_TEST(llm_model_open_fd(&model, fileno(file), bundle.size() + 1, 0, nullptr) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_model_open_fd(&model, -1, 0, 0, nullptr) == LLM_ERROR_IO);
    BOOST_TEST(model == nullptr);
    std::fclose(file);
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
