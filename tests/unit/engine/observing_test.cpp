// What a host can see of a context: counters, threads that change, and log lines.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace llm::test {

namespace {

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
    Session session{model.get(), precise_options(64)};
    std::vector<llm_token> tokens = {1, 2, 3, 4, 5, 6, 7, 8};

    llm_context_counters counters() const {
        llm_context_counters counters = LLM_CONTEXT_COUNTERS_INIT;
        check(llm_context_get_counters(&counters, session.get()));
        return counters;
    }
};

uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
    return static_cast<uint64_t>((std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1));
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(tokens_and_times_are_counted, Fixture) {
    BOOST_TEST(counters().evaluations == 0u);
    const auto start = std::chrono::steady_clock::now();
    session.evaluate(tokens);
    for (int i = 0; i < 3; ++i) session.evaluate(std::span(tokens).first(1));
    const uint64_t elapsed = nanoseconds_since(start);
    const llm_context_counters seen = counters();
    BOOST_TEST(seen.prompt_tokens == 8u);
    BOOST_TEST(seen.single_tokens == 3u);
    BOOST_TEST(seen.evaluations == 4u);
    BOOST_TEST(seen.longest_sequence == 11u);
    BOOST_TEST(seen.prompt_nanoseconds > 0u);
    BOOST_TEST(seen.single_nanoseconds > 0u);
    BOOST_TEST(seen.prompt_nanoseconds + seen.single_nanoseconds <= elapsed);
    BOOST_TEST(seen.first_token_nanoseconds == 0u);

    session.clear();
    session.evaluate(tokens);
    BOOST_TEST(counters().longest_sequence == 11u);
    check(llm_context_reset_counters(session.get()));
    BOOST_TEST(counters().prompt_tokens == 0u);
    BOOST_TEST(counters().longest_sequence == 0u);
}

BOOST_FIXTURE_TEST_CASE(what_fails_is_not_counted, Fixture) {
    tokens.resize(65, 1);
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0) == LLM_ERROR_CONTEXT_FULL);
    llm_cancel(session.get());
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), 5, 0) == LLM_CANCELLED);
    BOOST_TEST(counters().prompt_tokens == 0u);
    BOOST_TEST(counters().evaluations == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_generation_tells_the_time_to_its_first_token, Fixture) {
    llm_sampler *sampler = nullptr;
    check(llm_sampler_new(&sampler, nullptr));
    const SamplerPointer sampler_owner(sampler);
    llm_generation *generation = nullptr;
    check(llm_generation_start(&generation, session.get(), sampler, tokens.data(), tokens.size(), nullptr));
    const GenerationPointer generation_owner(generation);
    llm_chunk chunk = LLM_CHUNK_INIT;
    const auto start = std::chrono::steady_clock::now();
    check(llm_generation_next(&chunk, generation));
    const uint64_t elapsed = nanoseconds_since(start);
    const uint64_t first = counters().first_token_nanoseconds;
    BOOST_TEST(first >= counters().prompt_nanoseconds);
    BOOST_TEST(first <= elapsed);
    if (chunk.finish_reason == LLM_FINISH_NONE) llm_generation_next(&chunk, generation);
    BOOST_TEST(counters().first_token_nanoseconds == first);
}

BOOST_FIXTURE_TEST_CASE(threads_change_between_calls_and_results_do_not, Fixture) {
    Session alone(model.get(), precise_options(64, 1));
    const auto first = alone.evaluate(tokens);
    std::vector<float> expected = first;
    session.evaluate(tokens);
    for (const int32_t threads : {1, 5, 2, 3, 1}) {
        check(llm_context_set_threads(session.get(), threads));
        llm_context_info info = LLM_CONTEXT_INFO_INIT;
        check(llm_context_get_info(&info, session.get()));
        BOOST_TEST(info.threads == static_cast<uint32_t>(threads));
        const float *logits = nullptr;
        check(llm_logits(&logits, session.get(), -1));  // those of before
        BOOST_TEST(std::equal(expected.begin(), expected.end(), logits));
        expected = alone.evaluate(tokens);
        BOOST_TEST(session.evaluate(tokens) == expected, boost::test_tools::per_element());
    }
    check(llm_context_set_threads(session.get(), 0));
    BOOST_TEST(llm_context_set_threads(session.get(), -1) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_context_set_threads(session.get(), 5000) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(threads_may_leave_at_once, Fixture) {
    const auto expected = session.evaluate(tokens);
    for (const int32_t idle : {-1, 1'000'000}) {
        llm_context_options options = precise_options(64);
        options.idle_microseconds = idle;
        Session other(model.get(), options);
        BOOST_TEST(other.evaluate(tokens) == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(opening_a_model_is_logged) {
    std::string lines;
    const auto append = [](void *user, llm_log_level level, const char *text, size_t length) {
        *static_cast<std::string *>(user) += std::to_string(level) + std::string(text, length) + "\n";
    };
    check(llm_log_set(append, &lines, LLM_LOG_INFO));
    open_model(tiny_llama().add_tensor("blk.7.extra.weight", {4}, 0, std::vector<uint8_t>(16)).bytes());
    check(llm_log_set(nullptr, nullptr, LLM_LOG_INFO));
    BOOST_TEST(lines.find("tensors are not used") != std::string::npos, lines);
    BOOST_TEST(lines.find("model opened") != std::string::npos, lines);
    BOOST_TEST(lines.find("llama") != std::string::npos, lines);
    const std::string before = lines;
    open_model(tiny_llama().bytes());
    BOOST_TEST(lines == before);
}

BOOST_FIXTURE_TEST_CASE(a_model_tells_what_it_can_do, Fixture) {
    llm_model_info info = LLM_MODEL_INFO_INIT;
    check(llm_model_get_info(&info, model.get()));
    BOOST_TEST(info.capabilities == LLM_MODEL_GENERATES);
    BOOST_TEST(std::string(info.description).starts_with("llama "), info.description);
    BOOST_TEST(info.expert_count == 0u);
    llm_model_options options = LLM_MODEL_OPTIONS_INIT;
    options.open = LLM_OPEN_METADATA;
    const ModelPointer strange = open_model(tiny_llama().set("general.architecture", "strange").bytes(), &options);
    check(llm_model_get_info(&info, strange.get()));
    BOOST_TEST(info.capabilities == 0u);
    const ModelPointer encoder = open_model(tiny_llama().set("general.architecture", "bert").bytes(), &options);
    check(llm_model_get_info(&info, encoder.get()));
    BOOST_TEST(info.capabilities == LLM_MODEL_EMBEDS);
}

}  // namespace llm::test
