// Tiny random models of each architecture in F32 against the logits of a reference engine: all rows, and the ids that
// greedy decoding continues with. shared/tools/make_golden.py made the data.
#include "golden/golden_file.h"
#include "support/session.h"
#include "support/test_data.h"

#include <boost/test/unit_test.hpp>

#include <filesystem>

namespace llm::test {

namespace {

constexpr float clear_margin = 1e-3f;  // below it rounding may decide which token is best

// The largest normalized mean squared error. The reference looks gelu up in a table of half floats, which makes errors
// of up to 4e-7 in the files of networks with gelu; rounded_gelu_test.cpp takes that difference away.
constexpr double close = 1e-8, close_to_rounded_gelu = 1e-6;

// A file is named tiny-<name>.gguf.
struct Variant {
    const char *name;
    double largest_nmse = close;
};

constexpr Variant variants[] = {
    {"llama"},
    {"llama-linear-rope"},
    {"llama-mha-tied"},
    {"llama-wide-head"},
    {"llama-yarn"},
    {"llama3-rope-factors"},
    {"gemma", close_to_rounded_gelu},
    {"gemma2", close_to_rounded_gelu},
    {"gemma3", close_to_rounded_gelu},
    {"gpt2", close_to_rounded_gelu},
    {"gpt-oss"},
    {"granite"},
    {"mixtral"},
    {"olmo2"},
    {"phi3"},
    {"phi3-longrope"},
    {"qwen2"},
    {"qwen3"},
    {"qwen3moe"},
    {"smollm3"},
    {"starcoder2", close_to_rounded_gelu},
};

void compare_prompt(Session &session, const GoldenFile &golden, int prompt, double largest_nmse) {
    session.clear();
    const auto ids = golden.read<llm_token>(prompt, "ids");
    const std::vector<float> logits = session.evaluate_all(ids);
    const auto expected = golden.read<float>(prompt, "logits");
    BOOST_REQUIRE_EQUAL(logits.size(), expected.size());
    BOOST_TEST(nmse(logits, expected) <= largest_nmse);

    const auto greedy = golden.read<llm_token>(prompt, "greedy");
    const auto margin = golden.read<float>(prompt, "margin");
    std::vector<float> row(logits.end() - session.vocabulary_size(), logits.end());
    for (size_t step = 0; step < greedy.size(); ++step) {
        if (margin[step] > clear_margin) BOOST_TEST(arg_max(row) == greedy[step]);
        row = session.evaluate(std::span(&greedy[step], 1));
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(logits_equal_the_reference) {
    if (!have_data("golden/arch")) return;
    for (const Variant &variant : variants) {
        BOOST_TEST_CONTEXT("model " << variant.name) {
            const std::string stem = (data_folder() / "golden/arch/tiny-").string() + variant.name;
            const GoldenFile golden(stem + ".golden.gguf");
            const ModelPointer model = open_model(stem + ".gguf");
            Session session(model.get(), precise_options(256));
            int prompts = 0;
            for (; golden.has(prompts, "ids"); ++prompts)
                compare_prompt(session, golden, prompts, variant.largest_nmse);
            BOOST_TEST(prompts == 2);
        }
    }
}

BOOST_AUTO_TEST_CASE(learned_positions_limit_the_context) {
    if (!have_data("golden/arch")) return;
    const ModelPointer model = open_model((data_folder() / "golden/arch/tiny-gpt2.gguf").string());
    const llm_context_options options = precise_options(257);
    llm_context *context = nullptr;
    BOOST_TEST(llm_context_new(&context, model.get(), &options) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error() == "the context length is 257, but the model knows only 256 positions");
}

}  // namespace llm::test
