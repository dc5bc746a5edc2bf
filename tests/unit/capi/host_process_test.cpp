// What the host does to its process: it forks, and it computes in a floating-point mode of its own.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <sys/wait.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cfenv>
#include <cstring>
#include <string>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace llm::test {

namespace {

const std::vector<llm_token> tokens = {65, 66, 67, 68, 69, 70, 71, 72};

struct Fixture {
    std::vector<uint8_t> bytes = tiny_llama().bytes();
    ModelPointer model = open_model(bytes);

    // Text and log-probabilities of a sampled generation.
    std::string generate(int32_t threads) {
        Session session(model.get(), precise_options(64, threads));
        llm_sampler_options sampling = LLM_SAMPLER_OPTIONS_INIT;
        sampling.seed = 11;
        llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
        options.max_tokens = 20;
        options.logprobs = 1;
        llm_sampler *sampler = nullptr;
        llm_generation *generation = nullptr;
        check(llm_sampler_new(&sampler, &sampling));
        const SamplerPointer close_sampler(sampler);
        check(llm_generation_start(&generation, session.get(), sampler, tokens.data(), tokens.size(), &options));
        const GenerationPointer close_generation(generation);
        std::string out;
        llm_chunk chunk = LLM_CHUNK_INIT;
        while (llm_generation_next(&chunk, generation) == LLM_OK) {
            out.append(reinterpret_cast<const char *>(&chunk.token), sizeof chunk.token);
            out.append(reinterpret_cast<const char *>(&chunk.logprob), sizeof chunk.logprob);
        }
        return out;
    }
};

// The number of the first of the tests that is false in a forked child, 0 when all are true; -1 when the child hung or
// died.
template <class... Tests>
int false_in_child(Tests... tests) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        int number = 0, failed = 0;
        ((++number, failed == 0 && !tests() ? failed = number : 0), ...);
        _exit(failed);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

#ifndef __SANITIZE_THREAD__  // which allows no threads in a child
BOOST_FIXTURE_TEST_CASE(a_forked_child_gets_a_status, Fixture) {
    Session session(model.get(), precise_options(64, 2));
    Session alone(model.get(), precise_options(64, 1));
    const auto expected = session.evaluate(tokens);
    llm_sampler *sampler = nullptr;
    check(llm_sampler_new(&sampler, nullptr));
    llm_token text[16];
    size_t count = 0;
    const int failed = false_in_child(
        [&] { return llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0) == LLM_ERROR_STATE; },
        [&] { return last_error().find("after fork") != std::string::npos; },
        [&] {
            size_t length = 0;  // as before the call
            return llm_sequence_length(&length, session.get(), 0) == LLM_OK && length == tokens.size();
        },
        [&] {
            llm_context *another = nullptr;
            const llm_context_options options = precise_options(64, 2);
            return llm_context_new(&another, model.get(), &options) == LLM_ERROR_STATE;
        },
        [&] {
            llm_model *another = nullptr;
            const llm_status status = llm_model_open_memory(&another, bytes.data(), bytes.size(), nullptr);
            return status == LLM_OK || status == LLM_ERROR_STATE;
        },
        // What needs no other thread works.
        [&] { return llm_eval(alone.get(), 0, tokens.data(), tokens.size(), 0) == LLM_OK; },
        [&] { return llm_tokenize(text, 16, &count, model.get(), "abc", 3, 0) == LLM_OK; },
        [&] {
            llm_sampler *another = nullptr;
            return llm_sampler_new(&another, nullptr) == LLM_OK;
        },
        [&] {
            llm_sampler_close(sampler);
            session.~Session();
            model.reset();
            return true;
        });
    BOOST_TEST(failed == 0);
    llm_sampler_close(sampler);
    session.clear();
    BOOST_TEST((session.evaluate(tokens) == expected));
}
#endif

BOOST_FIXTURE_TEST_CASE(the_hosts_rounding_mode_changes_nothing_and_stays, Fixture) {
    const std::string expected = generate(1);
    for (const int mode : {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const std::string alone = generate(1), together = generate(2);
        const int mode_afterwards = std::fegetround();
        std::fesetround(FE_TONEAREST);
        BOOST_TEST(mode_afterwards == mode);
        BOOST_TEST((alone == expected));
        BOOST_TEST((together == expected));
    }
}

#if defined(__x86_64__)
BOOST_FIXTURE_TEST_CASE(flushed_denormals_and_unmasked_exceptions_change_nothing, Fixture) {
    const std::string expected = generate(1);
    const unsigned before = _mm_getcsr();
    const unsigned flush = 0x8040;  // FTZ and DAZ
    const unsigned trap_all =
        before & ~static_cast<unsigned>(_MM_MASK_MASK);  // a denormal or inexact result would kill
    for (const unsigned mode : {before | flush, trap_all & ~static_cast<unsigned>(_MM_EXCEPT_MASK)}) {
        Session session(model.get(), precise_options(64, 2));
        std::vector<float> logits(session.vocabulary_size());
        const float *row = nullptr;
        _mm_setcsr(mode);
        const llm_status status = llm_eval(session.get(), 0, tokens.data(), tokens.size(), 0);
        const unsigned afterwards = _mm_getcsr();
        _mm_setcsr(before);
        check(status);
        check(llm_logits(&row, session.get(), -1));
        std::copy_n(row, logits.size(), logits.begin());
        session.clear();
        BOOST_TEST(afterwards == mode);
        BOOST_TEST((session.evaluate(tokens) == logits));
    }
    BOOST_TEST(generate(2) == expected);
}
#endif

}  // namespace llm::test
