// Saved states: a restored sequence goes on with the same bits, and what is no state of this model is refused.
#include "base/error.h"
#include "base/hash.h"
#include "support/evaluation_ways.h"
#include "support/tiny_gemma2.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>

namespace llm::test {

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t text_length = 500;

ContextOptions options(CacheType type = CacheType::q8) {
    return {.context_length = text_length, .batch_size = 40, .thread_count = 2, .key_type = type, .value_type = type};
}

Bytes save(const Context &context, uint32_t sequence = 0) {
    Bytes state(context.state_bytes(sequence));
    context.save_state(sequence, state);
    return state;
}

// The status with which a state is refused; LLM_OK if it is not.
llm_status restore(Context &context, std::span<const uint8_t> state) {
    try {
        context.restore_state(0, state);
    } catch (const Error &error) {
        BOOST_TEST(!std::string(error.what()).empty());
        return error.status();
    }
    return LLM_OK;
}

void seal_again(Bytes &state) {
    const uint64_t hash = hash_bytes(std::span(state).first(state.size() - 8));
    std::memcpy(state.data() + state.size() - 8, &hash, 8);
}

struct Fixture {
    std::vector<uint8_t> llama_bytes = tiny_llama().bytes(), gemma_bytes = tiny_gemma2(70).bytes();
    std::shared_ptr<const Model> llama = open_model(make_memory_source(llama_bytes), nullptr);
    std::shared_ptr<const Model> gemma = open_model(make_memory_source(gemma_bytes), nullptr);
    std::vector<llm_token> text = random_text(tiny_llama_vocabulary_size, text_length);

    std::span<const llm_token> part(size_t begin, size_t end) const {
        return std::span(text).subspan(begin, end - begin);
    }
    uint64_t evaluate(Context &context, size_t begin, size_t end, uint32_t sequence = 0) const {
        BOOST_REQUIRE(context.evaluate(sequence, part(begin, end), WantedLogits::last));
        return row_hash(context.logits(0));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_restored_sequence_goes_on_with_the_same_bits, Fixture) {
    for (const auto &model : {llama, gemma})
        for (uint32_t type = 0; type < cache_type_slots; ++type)
            for (const size_t length : {1u, 63u, 64u, 69u, 70u, 71u, 300u}) {
                if (is_sanitized && length != 71) continue;
                Context first(model, options(static_cast<CacheType>(type)));
                evaluate(first, 0, length);
                const Bytes state = save(first);
                const uint64_t expected = evaluate(first, length, length + 100);
                // Somewhere else, where other things were before: a ring and none, and another sequence.
                for (const bool keeps_all : {false, true}) {
                    ContextOptions other = options(static_cast<CacheType>(type));
                    other.context_length = 900;
                    other.batch_size = 7;
                    other.sequence_count = 3;
                    other.keeps_all = keeps_all;
                    Context second(model, other);
                    evaluate(second, 200, 450, 2);
                    second.restore_state(2, state);
                    BOOST_TEST(second.length(2) == length);
                    BOOST_TEST(!second.last_row(2).has_value());
                    BOOST_TEST(evaluate(second, length, length + 100, 2) == expected);
                    BOOST_TEST(second.reuse_prefix(2, text) == length + 100);
                }
            }
}

BOOST_FIXTURE_TEST_CASE(the_bytes_depend_on_the_text_only, Fixture) {
    for (const auto &model : {llama, gemma}) {
        Context plain(model, options());
        evaluate(plain, 0, 130);
        const Bytes expected = save(plain);
        evaluate(plain, 130, 170);
        plain.truncate(0, 130);  // something is left behind the end of the last page
        BOOST_TEST((save(plain) == expected));
        ContextOptions two = options();
        two.sequence_count = 2;
        two.batch_size = 13;
        two.thread_count = 1;
        Context other(model, two);
        evaluate(other, 0, 100, 1);
        other.fork(1, 0);
        evaluate(other, 100, 130);
        BOOST_TEST((save(other) == expected));
        plain.restore_state(0, expected);
        BOOST_TEST((save(plain) == expected));
        plain.truncate(0, 0);
        const Bytes empty = save(plain);
        BOOST_TEST(empty.size() == 48u);
        plain.restore_state(0, empty);
        BOOST_TEST(plain.length(0) == 0u);
    }
}

BOOST_FIXTURE_TEST_CASE(damage_is_found_and_changes_nothing, Fixture) {
    Context context(gemma, options());
    evaluate(context, 0, 5);
    const Bytes good = save(context);
    evaluate(context, 5, 9);
    Bytes bad = good;
    for (size_t i = 0; i < bad.size(); ++i) {
        bad[i] ^= static_cast<uint8_t>(1 << i % 8);
        BOOST_REQUIRE_MESSAGE(restore(context, bad) < 0, "byte " << i);
        bad[i] = good[i];
    }
    for (size_t size = 0; size < good.size(); size += size < 64 ? 1 : 97)
        BOOST_REQUIRE(restore(context, std::span(good).first(size)) == LLM_ERROR_TRUNCATED);
    bad.push_back(0);
    BOOST_TEST(restore(context, bad) == LLM_ERROR_MALFORMED);
    BOOST_TEST(context.length(0) == 9u);
    Context alone(gemma, options());
    evaluate(alone, 0, 9);
    BOOST_TEST(evaluate(context, 9, 60) == evaluate(alone, 9, 60));
}

BOOST_FIXTURE_TEST_CASE(states_of_something_else_are_refused, Fixture) {
    Context context(gemma, options());
    evaluate(context, 0, 80);
    const Bytes state = save(context);
    Context other_model(llama, options());
    BOOST_TEST(restore(other_model, state) == LLM_ERROR_MODEL);
    const auto other_bytes = tiny_gemma2(71).bytes();
    Context other_window(open_model(make_memory_source(other_bytes), nullptr), options());
    BOOST_TEST(restore(other_window, state) == LLM_ERROR_MODEL);
    BuiltGguf changed = tiny_gemma2(70).build();
    changed.patch("tensor:blk.1.attn_q.weight/data", 1.0f, 64 * 64 * 4 / 2);
    Context other_weights(open_model(make_memory_source(changed.bytes), nullptr), options());
    BOOST_TEST(restore(other_weights, state) == LLM_ERROR_MODEL);
    Context other_type(gemma, options(CacheType::q16));
    BOOST_TEST(restore(other_type, state) == LLM_ERROR_STATE);
    ContextOptions small = options();
    small.context_length = 79;
    Context too_small(gemma, small);
    BOOST_TEST(restore(too_small, state) == LLM_ERROR_CONTEXT_FULL);
    small.context_length = 80;
    Context large_enough(gemma, small);
    BOOST_TEST(restore(large_enough, state) == LLM_OK);
    // The same model in another form of its weights.
    Context mapped(open_model(make_memory_source(gemma_bytes), nullptr, LoadMode::mapped), options());
    BOOST_TEST(restore(mapped, state) == LLM_OK);
}

// With a checksum that is right, as somebody could write it on purpose.
BOOST_FIXTURE_TEST_CASE(forged_states_do_no_harm, Fixture) {
    Context context(gemma, options());
    evaluate(context, 0, 80);
    const Bytes good = save(context);
    const auto with = [&](size_t offset, auto value) {
        Bytes bad = good;
        std::memcpy(bad.data() + offset, &value, sizeof value);
        seal_again(bad);
        return restore(context, bad);
    };
    BOOST_TEST(with(0, 'l') == LLM_ERROR_MALFORMED);
    BOOST_TEST(with(8, uint32_t{2}) == LLM_ERROR_UNSUPPORTED);
    BOOST_TEST(with(12, uint32_t{77}) == LLM_ERROR_STATE);
    BOOST_TEST(with(20, uint32_t{79}) == LLM_ERROR_MALFORMED);
    BOOST_TEST(with(20, UINT32_MAX) == LLM_ERROR_TRUNCATED);
    BOOST_TEST(with(32, UINT64_MAX) == LLM_ERROR_TRUNCATED);
    BOOST_TEST(with(32, uint64_t{0}) == LLM_ERROR_MALFORMED);
    for (const uint32_t token : {tiny_llama_vocabulary_size, 0x80000000u, UINT32_MAX})
        BOOST_TEST(with(40 + 4 * 79, token) == LLM_ERROR_MALFORMED);
    // Other numbers of tokens with as many bytes: the pages do not fit.
    Bytes bad = good;
    const uint32_t tokens = 1;
    const uint64_t cache_bytes = good.size() - 48 - 4;
    std::memcpy(bad.data() + 20, &tokens, 4);
    std::memcpy(bad.data() + 32, &cache_bytes, 8);
    seal_again(bad);
    BOOST_TEST(restore(context, bad) == LLM_ERROR_MALFORMED);
    BOOST_TEST((save(context) == good));
    // Any contents of the pages are data.
    bad = good;
    std::fill(bad.begin() + 40 + 4 * 80, bad.end() - 8, uint8_t{0xFF});
    seal_again(bad);
    BOOST_TEST(restore(context, bad) == LLM_OK);
    evaluate(context, 80, 200);
}

}  // namespace llm::test
