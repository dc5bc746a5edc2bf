// llm.hpp: the classes give what the functions of llm.h give, close what they open, and throw what goes wrong.
#include <llm/llm.hpp>

#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <concepts>
#include <iterator>
#include <numeric>
#include <ranges>

namespace {

static_assert(std::input_iterator<llm::Generation::Iterator>);
static_assert(std::sentinel_for<std::default_sentinel_t, llm::Generation::Iterator>);
static_assert(std::ranges::input_range<llm::Generation>);
template <class T>
constexpr bool only_moved = std::movable<T> && !std::copyable<T>;
static_assert(only_moved<llm::Model> && only_moved<llm::Context> && only_moved<llm::Sampler> &&
              only_moved<llm::Generation>);

llm::Model open(const llm::test::GgufBuilder &builder, const llm::ModelOptions &options = {}) {
    const std::vector<uint8_t> bytes = builder.bytes();
    return llm::Model(std::as_bytes(std::span(bytes)), options);
}

llm::SamplerOptions greedy() {
    llm::SamplerOptions options;
    options.temperature = 0;
    return options;
}

struct Fixture {
    llm::Model model = open(llm::test::tiny_llama());
    llm::Context context{model, llm::ContextOptions().set("context_length", "100")};
    llm::Sampler sampler{greedy()};
    std::vector<llm::Token> prompt = model.tokenize("a cat");

    llm::GenerationOptions most(int32_t tokens) const {
        llm::GenerationOptions options;
        options.max_tokens = tokens;
        return options;
    }
};

// The status that a call throws.
template <class Call>
llm_status thrown_by(Call call) {
    try {
        call();
    } catch (const llm::Error &error) {
        BOOST_TEST(std::string(error.what()).starts_with(llm_status_name(error.status())));
        return error.status();
    }
    return LLM_OK;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_library) {
    BOOST_TEST(llm::version() == LLM_VERSION_STRING);
    BOOST_TEST(llm::system_info().find("unicode_version") != std::string::npos);
    const auto options = llm::options(LLM_OPTIONS_SAMPLER);
    BOOST_TEST((std::ranges::find(options, std::string("top_k"), &llm_option::name) != options.end()));
}

BOOST_FIXTURE_TEST_CASE(facts_of_a_model, Fixture) {
    BOOST_TEST(model.info().architecture == std::string("llama"));
    BOOST_TEST(thrown_by([] { llm::Model(-1, 0, 0); }) == LLM_ERROR_IO);
    BOOST_TEST(model.info().vocabulary_size == llm::test::tiny_llama_vocabulary_size);
    BOOST_TEST(model.support().find("\"runnable\": true") != std::string::npos, model.support());
    const auto keys = model.metadata_keys();
    BOOST_TEST((std::ranges::find(keys, "general.architecture") != keys.end()));
    BOOST_TEST(model.metadata("llama.block_count").value().u == 1u);
    BOOST_TEST(!model.metadata("no.such.key"));
    const std::uint64_t second[] = {1};
    BOOST_TEST(model.metadata_element("tokenizer.ggml.token_type", second).type == LLM_VALUE_I32);
    BOOST_TEST(model.tensors().size() == llm_tensor_count(model.get()));
    BOOST_TEST(model.tensors()[0].name != nullptr);
}

BOOST_FIXTURE_TEST_CASE(text_and_tokens, Fixture) {
    for (const std::string text : {"", "a", "a longer text, which does not fit into the first buffer. \xC3\xA9"})
        BOOST_TEST(model.detokenize(model.tokenize(text)) == text);
    BOOST_TEST(model.tokenize("a").front() == model.special_token(LLM_SPECIAL_BEGIN).value());
    BOOST_TEST(model.tokenize("", 0).empty());
    BOOST_TEST(!model.special_token(LLM_SPECIAL_SEPARATOR));
    BOOST_TEST(model.piece('a') == "a");
    BOOST_TEST(model.token_info(298).attributes == (LLM_TOKEN_CONTROL | LLM_TOKEN_ENDS_GENERATION));
    const std::vector<llm::Token> many(1000, 'x');
    BOOST_TEST(model.detokenize(many) == std::string(1000, 'x'));
}

BOOST_FIXTURE_TEST_CASE(evaluation, Fixture) {
    BOOST_TEST(context.info().context_length == 100u);
    context.eval(prompt, 0, LLM_EVAL_LOGITS_ALL);
    BOOST_TEST(context.length() == prompt.size());
    BOOST_TEST(context.counters().prompt_tokens == prompt.size());
    context.reset_counters();
    BOOST_TEST(context.counters().prompt_tokens == 0u);
    context.set_threads(3);
    BOOST_TEST(context.info().threads == 3u);
    const auto logits = context.logits();
    BOOST_TEST(logits.size() == llm::test::tiny_llama_vocabulary_size);
    BOOST_TEST(logits.data() == context.logits(static_cast<int32_t>(prompt.size()) - 1).data());
    BOOST_TEST(sampler.sample(context) == std::ranges::max_element(logits) - logits.begin());
    context.truncate(1);
    BOOST_TEST(context.length() == 1u);
}

BOOST_FIXTURE_TEST_CASE(chunks_as_a_range, Fixture) {
    std::string text;
    int chunks = 0;
    llm_finish_reason reason = LLM_FINISH_NONE;
    for (const llm::Chunk &chunk : llm::Generation(context, sampler, prompt, most(12))) {
        text += chunk.text;
        ++chunks;
        reason = chunk.finish_reason;
    }
    BOOST_TEST((reason == LLM_FINISH_LENGTH || reason == LLM_FINISH_END_TOKEN));
    BOOST_TEST(chunks > 1);

    context.truncate(0);
    llm::Generation again(context, sampler, prompt, most(12));
    std::string beginning;
    for (const llm::Chunk &chunk : again) {  // left, and gone on with
        beginning += chunk.text;
        if (!beginning.empty()) break;
    }
    BOOST_TEST(beginning + again.rest() == text);
    BOOST_TEST(!again.next());
    BOOST_TEST((again.begin() == again.end()));

    if (text.size() < 2) return;
    context.truncate(0);
    llm::GenerationOptions options = most(12);
    options.stop_texts = {"\xF0\x9F\x98\x80", text.substr(0, 1)};
    if (static_cast<unsigned char>(text[0]) < 0x80)
        BOOST_TEST(llm::Generation(context, sampler, prompt, options).rest().empty());
}

BOOST_AUTO_TEST_CASE(embeddings) {
    const llm::Model model = open(llm::test::tiny_bert());
    llm::Context context(model);
    const auto vector = context.embed(model.tokenize("a b c"));
    BOOST_TEST(vector.size() == llm::test::tiny_bert_width);
    BOOST_TEST(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0) == 1.0,
               boost::test_tools::tolerance(1e-5));
    BOOST_TEST(context.embed(model.tokenize("a"), LLM_POOLING_NONE, 0).size() == 3 * llm::test::tiny_bert_width);
}

BOOST_FIXTURE_TEST_CASE(errors_are_thrown, Fixture) {
    BOOST_TEST(thrown_by([] { llm::Model("/nonexistent/model.gguf"); }) == LLM_ERROR_IO);
    BOOST_TEST(thrown_by([&] { context.logits(); }) == LLM_ERROR_STATE);
    BOOST_TEST(thrown_by([&] { context.eval(std::vector<llm::Token>(101, 1)); }) == LLM_ERROR_CONTEXT_FULL);
    BOOST_TEST(thrown_by([&] { context.embed(prompt); }) == LLM_ERROR_STATE);
    BOOST_TEST(thrown_by([] { llm::SamplerOptions().set("top_k", "-1"); }) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(thrown_by([] { llm::SamplerOptions().set("no_such", "1"); }) == LLM_ERROR_NOT_FOUND);
    context.cancel();
    BOOST_CHECK_THROW(context.eval(prompt), llm::Cancelled);
    context.eval(prompt);
}

BOOST_AUTO_TEST_CASE(progress_and_what_it_throws) {
    llm::ModelOptions options;
    float last = -1;
    options.on_progress = [&](float done) {
        last = done;
        return true;
    };
    open(llm::test::tiny_llama(), options);
    BOOST_TEST(last == 1.0f);
    options.on_progress = [](float) { return false; };
    BOOST_CHECK_THROW(open(llm::test::tiny_llama(), options), llm::Cancelled);
    options.on_progress = [](float) -> bool { throw std::logic_error("from the host"); };
    BOOST_CHECK_THROW(open(llm::test::tiny_llama(), options), std::logic_error);
}

BOOST_FIXTURE_TEST_CASE(ownership, Fixture) {
    llm::Generation generation(context, sampler, prompt, most(4));
    llm::Model shared = model.share();
    { const llm::Model closed = std::move(model); }
    BOOST_TEST(!model);
    BOOST_TEST(thrown_by([&] { model.info(); }) == LLM_ERROR_ARGUMENT);
    { const llm::Context closed = std::move(context); }
    { const llm::Sampler closed = std::move(sampler); }
    llm::Generation moved = std::move(generation);
    BOOST_TEST(moved.next().has_value());  // although all that it needs was closed by its owner
    BOOST_TEST(thrown_by([&] { generation.next(); }) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(shared.info().layer_count == 1u);
    llm_model *handle = shared.release();
    BOOST_TEST(llm::Model(handle).info().layer_count == 1u);
    BOOST_TEST(llm_metadata_count(handle) == 0u);  // closed with the object that took it over
}
