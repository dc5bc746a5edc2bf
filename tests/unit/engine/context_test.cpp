// Evaluation through the C API: all or nothing, whatever happens.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

namespace llm::test {

namespace {

struct Fixture {
    ModelPointer model = open_model(tiny_llama().bytes());
    std::vector<llm_token> tokens = {1, 2, 3, 4, 5, 6, 7, 8};

    size_t length(Session &session, int32_t sequence = 0) {
        size_t length = 0;
        check(llm_sequence_length(&length, session.get(), sequence));
        return length;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_full_context_is_a_status_and_changes_nothing, Fixture) {
    Session session(model.get(), precise_options(10));
    const auto before = session.evaluate(tokens);
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), 3, 0) == LLM_ERROR_CONTEXT_FULL);
    BOOST_TEST(last_error().find("8 of 10") != std::string::npos);
    BOOST_TEST(length(session) == 8u);
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), 2, 0) == LLM_OK);
    BOOST_TEST(length(session) == 10u);
}

BOOST_FIXTURE_TEST_CASE(bad_tokens_are_refused_before_anything_happens, Fixture) {
    Session session(model.get(), precise_options(32));
    for (const llm_token bad : {-1, 300, INT32_MAX, INT32_MIN}) {
        tokens[5] = bad;
        BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(last_error().find("at 5") != std::string::npos);
        BOOST_TEST(length(session) == 0u);
    }
    BOOST_TEST(llm_eval(session.get(), 0, nullptr, 0, 0) == LLM_OK);
    BOOST_TEST(llm_eval(session.get(), 0, nullptr, 3, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_eval(session.get(), 1, tokens.data(), 1, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_eval(session.get(), -1, tokens.data(), 1, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_eval(session.get(), 0, tokens.data(), 1, 8) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(truncating_rewinds_exactly, Fixture) {
    Session session(model.get(), precise_options(128));
    const auto expected = session.evaluate(tokens);
    check(llm_sequence_truncate(session.get(), 0, 3));
    session.evaluate(std::vector<llm_token>{100, 101, 102, 103});
    check(llm_sequence_truncate(session.get(), 0, 3));
    BOOST_TEST(session.evaluate(std::span(tokens).subspan(3)) == expected, boost::test_tools::per_element());
    BOOST_TEST(llm_sequence_truncate(session.get(), 0, 9) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(sequences_are_independent, Fixture) {
    llm_context_options options = precise_options(128);
    options.max_sequences = 3;
    Session session(model.get(), options);
    Session alone(model.get(), precise_options(128));
    const auto expected = alone.evaluate(tokens);
    for (int32_t sequence = 2; sequence >= 0; --sequence) {
        const std::vector<llm_token> other = {40, 41, sequence};
        check(llm_eval(session.get(), sequence, other.data(), other.size(), 0));
    }
    check(llm_sequence_truncate(session.get(), 1, 0));
    check(llm_eval(session.get(), 1, tokens.data(), tokens.size(), 0));
    const float *logits = nullptr;
    check(llm_logits(&logits, session.get(), -1));
    BOOST_TEST(std::vector<float>(logits, logits + expected.size()) == expected, boost::test_tools::per_element());
    BOOST_TEST(length(session, 0) == 3u);
    BOOST_TEST(length(session, 1) == 8u);
}

BOOST_FIXTURE_TEST_CASE(cancelling_leaves_the_sequence_as_it_was, Fixture) {
    Session session(model.get(), precise_options(128));
    session.evaluate(tokens);
    llm_cancel(session.get());
    const std::vector<llm_token> more(100, 9);
    BOOST_TEST(llm_eval(session.get(), 0, more.data(), more.size(), 0) == LLM_CANCELLED);
    BOOST_TEST(length(session) == 8u);
    const float *logits = nullptr;
    BOOST_TEST(llm_logits(&logits, session.get(), 0) == LLM_ERROR_STATE);
    Session alone(model.get(), precise_options(128));
    alone.evaluate(tokens);
    BOOST_TEST(session.evaluate(more) == alone.evaluate(more), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(logits_are_there_only_after_an_evaluation_that_kept_them, Fixture) {
    Session session(model.get(), precise_options(32));
    const float *logits = nullptr;
    BOOST_TEST(llm_logits(&logits, session.get(), -1) == LLM_ERROR_STATE);
    check(llm_eval(session.get(), 0, tokens.data(), 4, LLM_EVAL_LOGITS_NONE));
    BOOST_TEST(llm_logits(&logits, session.get(), -1) == LLM_ERROR_STATE);
    check(llm_eval(session.get(), 0, tokens.data(), 4, LLM_EVAL_LOGITS_ALL));
    BOOST_TEST(llm_logits(&logits, session.get(), 3) == LLM_OK);
    BOOST_TEST(llm_logits(&logits, session.get(), 4) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_logits(&logits, session.get(), -2) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(a_second_thread_is_refused, Fixture) {
    Session session(model.get(), precise_options(128, 1));
    std::atomic<bool> stop{false};
    std::atomic<int> busy{0}, other{0};
    std::thread second([&] {
        while (!stop) {
            size_t length = 0;
            const llm_status status = llm_sequence_length(&length, session.get(), 0);
            if (status == LLM_ERROR_BUSY)
                ++busy;
            else if (status != LLM_OK)
                ++other;
        }
    });
    for (int round = 0; round < 10000 && busy == 0; ++round) {
        const llm_status status = llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0);
        BOOST_TEST((status == LLM_OK || status == LLM_ERROR_BUSY));
        while (llm_sequence_truncate(session.get(), 0, 0) == LLM_ERROR_BUSY) {
        }
    }
    stop = true;
    second.join();
    BOOST_TEST(busy > 0);
    BOOST_TEST(other == 0);
}

BOOST_FIXTURE_TEST_CASE(objects_may_be_closed_in_any_order, Fixture) {
    llm_context *context = nullptr;
    llm_sampler *sampler = nullptr;
    llm_generation *generation = nullptr;
    check(llm_context_new(&context, model.get(), nullptr));
    check(llm_sampler_new(&sampler, nullptr));
    check(llm_generation_start(&generation, context, sampler, tokens.data(), tokens.size(), nullptr));
    model.reset();
    llm_context_close(context);
    llm_sampler_close(sampler);
    llm_chunk chunk = LLM_CHUNK_INIT;
    BOOST_TEST(llm_generation_next(&chunk, generation) == LLM_OK);
    llm_generation_close(generation);
    llm_model_close(nullptr);
    llm_context_close(nullptr);
    llm_sampler_close(nullptr);
    llm_generation_close(nullptr);
    llm_cancel(nullptr);
}

}  // namespace llm::test
