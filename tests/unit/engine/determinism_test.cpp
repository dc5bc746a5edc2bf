// The same bits for every number of threads and every way to divide a text into calls and batches, on every tier that
// this process can use (ctest runs the test once for each tier through LLM_CPU).
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cstdio>
#include <cstring>
#include <random>

namespace llm::test {

namespace {

constexpr size_t text_length = 90;  // over one page of the cache

std::vector<llm_token> random_tokens(size_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<llm_token> tokens(count);
    for (llm_token &token : tokens) token = static_cast<llm_token>(random() % tiny_llama_vocabulary_size);
    return tokens;
}

std::vector<float> evaluate_in_pieces(Session &session, std::span<const llm_token> tokens, size_t piece) {
    std::vector<float> out;
    for (size_t first = 0; first < tokens.size(); first += piece) {
        const auto rows = session.evaluate_all(tokens.subspan(first, std::min(piece, tokens.size() - first)));
        out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// False, with the line that skips the test, when LLM_CPU names a tier that this machine does not have.
bool have_tier() {
    const char *tier = nullptr;
    if (llm_cpu_tier(&tier) != LLM_ERROR_UNSUPPORTED) return true;
    std::printf("SKIPPED: %s\n", last_error().c_str());
    return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(threads_calls_and_batches_do_not_change_a_bit) {
    if (!have_tier()) return;
    const auto bytes = tiny_llama().bytes();
    const auto tokens = random_tokens(text_length, 1);
    for (const int32_t load : {LLM_LOAD_PACKED, LLM_LOAD_MAPPED}) {
        llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
        model_options.load = load;
        const ModelPointer model = open_model(bytes, &model_options);
        for (const int32_t cache : {LLM_CACHE_F16, LLM_CACHE_F32}) {
            std::vector<float> expected;
            for (const int32_t threads : {1, 2, 3}) {
                for (const int32_t batch_size : {512, 32, 7}) {
                    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
                    options.threads = threads;
                    options.batch_size = batch_size;
                    options.cache_type_k = options.cache_type_v = cache;
                    Session session(model.get(), options);
                    for (const size_t piece : {text_length, size_t{1}, size_t{2}, size_t{17}, size_t{33}}) {
                        BOOST_TEST_CONTEXT("load " << load << " cache " << cache << " threads " << threads << " batch "
                                                   << batch_size << " piece " << piece) {
                            session.clear();
                            const auto logits = evaluate_in_pieces(session, tokens, piece);
                            if (expected.empty()) expected = logits;
                            BOOST_TEST(same_bits(logits, expected));
                        }
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(mapped_and_packed_weights_give_the_same_bits) {
    if (!have_tier()) return;
    const auto bytes = tiny_llama().bytes();
    const auto tokens = random_tokens(40, 2);
    llm_model_options mapped = LLM_MODEL_OPTIONS_INIT;
    mapped.load = LLM_LOAD_MAPPED;
    const ModelPointer models[] = {open_model(bytes), open_model(bytes, &mapped)};
    std::vector<float> logits[2];
    for (int i = 0; i < 2; ++i) logits[i] = Session(models[i].get(), precise_options(128)).evaluate_all(tokens);
    BOOST_TEST(same_bits(logits[0], logits[1]));
}

BOOST_AUTO_TEST_CASE(only_wanted_logits_are_the_same_as_all) {
    if (!have_tier()) return;
    const ModelPointer model = open_model(tiny_llama().bytes());
    const auto tokens = random_tokens(60, 3);
    Session session(model.get(), precise_options(128));
    const auto all = session.evaluate_all(tokens);
    session.clear();
    const auto last = session.evaluate(tokens);
    BOOST_TEST(same_bits(last, std::span(all).last(session.vocabulary_size())));
    // Without logits the cache is the same: what follows does not differ.
    session.clear();
    check(llm_eval(session.get(), 0, tokens.data(), 59, LLM_EVAL_LOGITS_NONE));
    BOOST_TEST(same_bits(session.evaluate(std::span(tokens).last(1)), last));
}

}  // namespace llm::test
