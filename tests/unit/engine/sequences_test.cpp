// Several sequences of one context: evaluated together, forked, shortened, and reused for a text that begins alike.
#include "support/session.h"
#include "support/tiny_gemma2.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

namespace llm::test {

namespace {

using Tokens = std::vector<llm_token>;

Tokens random_tokens(uint32_t seed, size_t count) {
    std::mt19937 random(seed);
    Tokens tokens(count);
    for (llm_token &token : tokens) token = static_cast<llm_token>(random() % tiny_llama_vocabulary_size);
    return tokens;
}

Tokens joined(const Tokens &a, const Tokens &b) {
    Tokens all = a;
    all.insert(all.end(), b.begin(), b.end());
    return all;
}

// A model whose layers see everything, and one with a sliding window, small enough for a ring.
struct Fixture {
    static constexpr uint32_t window = 70;
    ModelPointer full = open_model(tiny_llama().bytes());
    ModelPointer windowed = open_model(tiny_gemma2(window).bytes());

    static llm_context_options options(int32_t sequences, int32_t batch_size = 40) {
        llm_context_options o = precise_options(700);
        o.max_sequences = sequences;
        o.batch_size = batch_size;
        return o;
    }

    // Logits of all tokens of a text on its own, or of the last one.
    static std::vector<float> alone(llm_model *model, const Tokens &text) {
        return Session(model, options(1)).evaluate_all(text);
    }
    static std::vector<float> alone_last(llm_model *model, const Tokens &text) {
        return Session(model, options(1)).evaluate(text);
    }

    static size_t length(const Session &session, int32_t sequence) {
        size_t length = 0;
        check(llm_sequence_length(&length, session.get(), sequence));
        return length;
    }
};

size_t add(const BatchPointer &batch, int32_t sequence, const Tokens &tokens, uint32_t flags) {
    size_t row = SIZE_MAX;
    check(llm_batch_add(&row, batch.get(), sequence, tokens.data(), tokens.size(), flags));
    return row;
}

std::vector<float> evaluate(Session &session, int32_t sequence, const Tokens &tokens) {
    check(llm_eval(session.get(), sequence, tokens.data(), tokens.size(), 0));
    return session.rows(1);
}

std::span<const float> row_of(const std::vector<float> &rows, size_t row) {
    return std::span(rows).subspan(row * tiny_llama_vocabulary_size, tiny_llama_vocabulary_size);
}

bool same(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_batch_gives_what_each_sequence_gives_alone, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        const Tokens a = random_tokens(1, 300), b = random_tokens(2, 130), c = random_tokens(3, 1);
        const auto of_a = alone(model, a), of_b = alone(model, b), of_c = alone(model, c);
        for (const int32_t batch_size : {1, 3, 40, 64}) {
            Session session(model, options(4, batch_size));
            const BatchPointer batch = new_batch();
            const Tokens a1(a.begin(), a.begin() + 90), a2(a.begin() + 90, a.end());
            BOOST_TEST(add(batch, 3, a1, LLM_EVAL_LOGITS_NONE) == 0u);
            BOOST_TEST(add(batch, 0, b, LLM_EVAL_LOGITS_ALL) == 0u);
            BOOST_TEST(add(batch, 1, c, 0) == 130u);
            BOOST_TEST(add(batch, 3, a2, 0) == 131u);
            BOOST_TEST(add(batch, 2, {}, 0) == 132u);
            check(llm_eval_batch(session.get(), batch.get()));
            const auto rows = session.rows(132);
            for (size_t row = 0; row < 130; ++row) BOOST_REQUIRE(same(row_of(rows, row), row_of(of_b, row)));
            BOOST_TEST(same(row_of(rows, 130), of_c));
            BOOST_TEST(same(row_of(rows, 131), row_of(of_a, 299)));
            const float *none = nullptr;
            BOOST_TEST(llm_logits(&none, session.get(), 132) == LLM_ERROR_ARGUMENT);
            BOOST_TEST(length(session, 3) == 300u);
            BOOST_TEST(length(session, 2) == 0u);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(short_sequences_are_evaluated_together, Fixture) {
    llm_context_options o = precise_options(2);
    o.max_sequences = 8;
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    check(llm_context_get_info(&info, Session(full.get(), o).get()));
    BOOST_TEST(info.batch_size == 16u);
}

BOOST_FIXTURE_TEST_CASE(sequences_that_take_turns_in_a_batch, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        Session session(model, options(8, 13));
        std::vector<Tokens> texts;
        for (uint32_t i = 0; i < 8; ++i) texts.push_back(random_tokens(10 + i, 20 + 30 * i));
        const BatchPointer batch = new_batch();
        for (size_t position = 0; position < texts.back().size(); ++position)
            for (int32_t i = 0; i < 8; ++i)
                if (const Tokens &text = texts[size_t(i)]; position < text.size()) add(batch, i, {text[position]}, 2);
        check(llm_eval_batch(session.get(), batch.get()));
        check(llm_batch_clear(batch.get()));
        for (int32_t i = 0; i < 8; ++i) add(batch, i, {5}, 0);
        check(llm_eval_batch(session.get(), batch.get()));
        const auto rows = session.rows(8);
        for (size_t i = 0; i < 8; ++i) BOOST_TEST(same(row_of(rows, i), alone_last(model, joined(texts[i], {5}))));
    }
}

BOOST_FIXTURE_TEST_CASE(a_batch_is_all_or_nothing, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        Session session(model, options(3));
        const Tokens a = random_tokens(1, 200), b = random_tokens(2, 250);
        evaluate(session, 0, a);
        evaluate(session, 1, b);
        std::string error;
        const auto try_with = [&](int32_t sequence, const Tokens &tokens) {
            const BatchPointer batch = new_batch();
            add(batch, 0, random_tokens(4, 333), 0);
            add(batch, 1, random_tokens(5, 100), 0);
            add(batch, sequence, tokens, 0);
            const llm_status status = llm_eval_batch(session.get(), batch.get());
            error = last_error();
            const float *none = nullptr;
            BOOST_TEST(llm_logits(&none, session.get(), 0) == LLM_ERROR_STATE);
            BOOST_TEST(length(session, 0) == 200u);
            BOOST_TEST(length(session, 1) == 250u);
            BOOST_TEST(length(session, 2) == 0u);
            return status;
        };
        BOOST_TEST(try_with(0, random_tokens(6, 168)) == LLM_ERROR_CONTEXT_FULL);
        BOOST_TEST(error.find("533 of 700") != std::string::npos);
        llm_cancel(session.get());
        BOOST_TEST(try_with(2, {1}) == LLM_CANCELLED);
        // What is wrong about an argument is found before anything happens: the logits remain.
        const auto before = evaluate(session, 1, {7});
        const BatchPointer batch = new_batch();
        add(batch, 0, {1, 2, 3}, 0);
        add(batch, 2, {1, 300}, 0);
        BOOST_TEST(llm_eval_batch(session.get(), batch.get()) == LLM_ERROR_ARGUMENT);
        check(llm_batch_clear(batch.get()));
        BOOST_TEST(llm_eval_batch(session.get(), batch.get()) == LLM_OK);
        add(batch, 3, {1}, 0);
        BOOST_TEST(llm_eval_batch(session.get(), batch.get()) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(same(session.rows(1), before));
        BOOST_TEST(same(before, alone_last(model, joined(b, {7}))));
        BOOST_TEST(same(evaluate(session, 0, {8}), alone_last(model, joined(a, {8}))));
    }
}

BOOST_FIXTURE_TEST_CASE(wrong_additions_change_nothing, Fixture) {
    const BatchPointer batch = new_batch();
    const llm_token token = 1;
    BOOST_TEST(llm_batch_add(nullptr, batch.get(), -1, &token, 1, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_batch_add(nullptr, batch.get(), 0, nullptr, 1, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_batch_add(nullptr, batch.get(), 0, &token, 1, 3) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_batch_add(nullptr, nullptr, 0, &token, 1, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_batch_new(nullptr) == LLM_ERROR_ARGUMENT);
    llm_batch_close(nullptr);
    Session session(full.get(), options(1));
    BOOST_TEST(llm_eval_batch(session.get(), nullptr) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_eval_batch(nullptr, batch.get()) == LLM_ERROR_ARGUMENT);
    check(llm_eval_batch(session.get(), batch.get()));
    BOOST_TEST(length(session, 0) == 0u);
}

BOOST_FIXTURE_TEST_CASE(forks_go_their_own_ways, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        Session session(model, options(4));
        for (const size_t common_length : {1u, 64u, 100u, 257u}) {
            const Tokens common = random_tokens(1, common_length);
            check(llm_sequence_remove(session.get(), 0));
            evaluate(session, 0, common);
            for (int32_t i = 1; i < 4; ++i) {
                evaluate(session, i, random_tokens(9, 30));  // is replaced
                check(llm_sequence_fork(session.get(), i - 1, i));
                BOOST_TEST(length(session, i) == common_length);
            }
            // In another order than that of the forks, and the first one last.
            for (const int32_t i : {2, 1, 3, 0}) {
                const Tokens more = random_tokens(20 + uint32_t(i), 150);
                BOOST_TEST(same(evaluate(session, i, more), alone_last(model, joined(common, more))));
            }
            for (const int32_t i : {0, 1, 2, 3}) {
                const Tokens more = joined(random_tokens(20 + uint32_t(i), 150), {3});
                BOOST_TEST(same(evaluate(session, i, {3}), alone_last(model, joined(common, more))));
            }
        }
        BOOST_TEST(llm_sequence_fork(session.get(), 1, 1) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(llm_sequence_fork(session.get(), 0, 4) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(llm_sequence_fork(session.get(), -1, 0) == LLM_ERROR_ARGUMENT);
    }
}

// The pool has just enough pages when every sequence is full.
BOOST_FIXTURE_TEST_CASE(forks_of_full_sequences, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        Session session(model, options(3));
        const Tokens common = random_tokens(1, 670);
        evaluate(session, 0, common);
        check(llm_sequence_fork(session.get(), 0, 1));
        check(llm_sequence_fork(session.get(), 0, 2));
        for (const int32_t i : {0, 1, 2}) {
            const Tokens more = random_tokens(20 + uint32_t(i), 30);
            BOOST_TEST(same(evaluate(session, i, more), alone_last(model, joined(common, more))));
            BOOST_TEST(llm_eval(session.get(), i, more.data(), 1, 0) == LLM_ERROR_CONTEXT_FULL);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_fork_shares_on, Fixture) {
    for (llm_model *model : {full.get(), windowed.get()}) {
        Session session(model, options(2));
        const Tokens common = random_tokens(1, 300);
        evaluate(session, 0, common);
        check(llm_sequence_fork(session.get(), 0, 1));
        const Tokens more = random_tokens(2, 200);
        llm_cancel(session.get());
        BOOST_TEST(llm_eval(session.get(), 1, more.data(), more.size(), 0) == LLM_CANCELLED);
        BOOST_TEST(same(evaluate(session, 0, more), alone_last(model, joined(common, more))));
        BOOST_TEST(same(evaluate(session, 1, {4}), alone_last(model, joined(common, {4}))));
    }
}

BOOST_FIXTURE_TEST_CASE(what_a_text_has_in_common_is_kept, Fixture) {
    Session session(full.get(), options(2));
    const Tokens text = random_tokens(1, 100);
    const auto kept_of = [&](const Tokens &tokens) {
        size_t kept = SIZE_MAX;
        check(llm_sequence_reuse_prefix(&kept, session.get(), 1, tokens.data(), tokens.size()));
        BOOST_TEST(length(session, 1) == kept);
        return kept;
    };
    BOOST_TEST(kept_of(text) == 0u);
    evaluate(session, 1, text);
    Tokens longer = joined(text, {1, 2, 3});
    BOOST_TEST(kept_of(longer) == 100u);
    BOOST_TEST(same(evaluate(session, 1, {1, 2, 3}), alone_last(full.get(), longer)));
    BOOST_TEST(kept_of(longer) == 102u);  // the last token is left to be evaluated
    BOOST_TEST(same(evaluate(session, 1, {3}), alone_last(full.get(), longer)));
    longer[60] ^= 1;
    BOOST_TEST(kept_of(longer) == 60u);
    BOOST_TEST(same(evaluate(session, 1, Tokens(longer.begin() + 60, longer.end())), alone_last(full.get(), longer)));
    BOOST_TEST(kept_of(Tokens(longer.begin(), longer.begin() + 10)) == 9u);
    BOOST_TEST(kept_of({longer[0]}) == 0u);
    evaluate(session, 1, longer);
    BOOST_TEST(kept_of({}) == 0u);
    BOOST_TEST(length(session, 0) == 0u);
    // A fork has the text, too, and a cancelled call is not in it.
    evaluate(session, 0, text);
    check(llm_sequence_fork(session.get(), 0, 1));
    llm_cancel(session.get());
    BOOST_TEST(llm_eval(session.get(), 1, longer.data(), 5, 0) == LLM_CANCELLED);
    BOOST_TEST(kept_of(joined(text, longer)) == 100u);
}

BOOST_FIXTURE_TEST_CASE(what_a_window_has_lost_is_not_kept, Fixture) {
    Session session(windowed.get(), options(1));
    Tokens text = random_tokens(1, 600);
    evaluate(session, 0, text);
    size_t kept = 0;
    check(llm_sequence_reuse_prefix(&kept, session.get(), 0, text.data(), 580));
    BOOST_TEST(kept == 579u);
    text[200] ^= 1;
    check(llm_sequence_reuse_prefix(&kept, session.get(), 0, text.data(), text.size()));
    BOOST_TEST(kept == 0u);
    BOOST_TEST(length(session, 0) == 0u);
    BOOST_TEST(same(evaluate(session, 0, text), alone_last(windowed.get(), text)));
}

}  // namespace llm::test
