// Embeddings through the C API: what pools what, what is refused, and what has no influence.
#include "support/session.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cmath>

namespace llm::test {

namespace {

constexpr size_t width = tiny_bert_width;

std::vector<llm_token> letters(size_t count, uint32_t step = 7) {
    std::vector<llm_token> ids;
    for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<llm_token>(4 + i * step % 26));
    return ids;
}

llm_context_options encoder_options(int32_t batch_size = 0) {
    llm_context_options options = precise_options(0);
    options.batch_size = batch_size;
    return options;
}

std::vector<float> embed(const Session &session, std::span<const llm_token> ids, llm_pooling pooling,
                         uint32_t flags = 0) {
    std::vector<float> out(width * (pooling == LLM_POOLING_NONE ? ids.size() : 1));
    size_t count = 0;
    check(llm_embed(out.data(), out.size(), &count, session.get(), ids.data(), ids.size(), pooling, flags));
    BOOST_TEST(count == out.size());
    return out;
}

struct Fixture {
    ModelPointer model = open_model(tiny_bert().bytes());
    Session session{model.get(), encoder_options()};
    std::vector<float> out = std::vector<float>(width, -7.0f);

    llm_status embed_status(std::span<const llm_token> ids, llm_pooling pooling = 0, uint32_t flags = 0) {
        return llm_embed(out.data(), out.size(), nullptr, session.get(), ids.data(), ids.size(), pooling, flags);
    }
    bool untouched() const { return out == std::vector<float>(width, -7.0f); }
};

bool says(const char *text) { return last_error().find(text) != std::string::npos; }

}  // namespace

BOOST_FIXTURE_TEST_CASE(every_pooling_is_made_of_the_vectors_of_the_tokens, Fixture) {
    for (const size_t count : {1u, 2u, 17u, 64u, 600u}) {
        const auto ids = letters(count);
        const auto all = embed(session, ids, LLM_POOLING_NONE);
        const std::vector<float> first(all.begin(), all.begin() + width), last(all.end() - width, all.end());
        BOOST_TEST(embed(session, ids, LLM_POOLING_FIRST) == first, boost::test_tools::per_element());
        BOOST_TEST(embed(session, ids, LLM_POOLING_DEFAULT) == first, boost::test_tools::per_element());
        BOOST_TEST(embed(session, ids, LLM_POOLING_LAST) == last, boost::test_tools::per_element());
        const auto mean = embed(session, ids, LLM_POOLING_MEAN);
        for (size_t i = 0; i < width; ++i) {
            double sum = 0.0;
            for (size_t token = 0; token < count; ++token) sum += all[token * width + i];
            BOOST_TEST(std::fabs(mean[i] - sum / static_cast<double>(count)) <= 1e-6);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(normalized_vectors_have_the_length_one, Fixture) {
    const auto ids = letters(5);
    for (const llm_pooling pooling : {LLM_POOLING_MEAN, LLM_POOLING_NONE}) {
        const auto plain = embed(session, ids, pooling);
        const auto unit = embed(session, ids, pooling, LLM_EMBED_NORMALIZE);
        for (size_t row = 0; row < plain.size(); row += width) {
            double squares = 0.0, length = 0.0;
            for (size_t i = row; i < row + width; ++i) squares += double{unit[i]} * unit[i];
            for (size_t i = row; i < row + width; ++i) length += double{plain[i]} * plain[i];
            BOOST_TEST(std::fabs(squares - 1.0) < 1e-6);
            for (size_t i = row; i < row + width; ++i)
                BOOST_TEST(std::fabs(unit[i] * std::sqrt(length) - plain[i]) < 1e-5);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(tokens_see_those_behind_them, Fixture) {
    auto ids = letters(200);
    const auto before = embed(session, ids, LLM_POOLING_FIRST);
    ids.back() = ids.back() == 4 ? 5 : 4;
    BOOST_TEST((embed(session, ids, LLM_POOLING_FIRST) != before));
}

BOOST_FIXTURE_TEST_CASE(earlier_inputs_leave_no_trace, Fixture) {
    const auto ids = letters(40);
    const auto expected = embed(session, ids, LLM_POOLING_NONE);
    embed(session, letters(600, 3), LLM_POOLING_MEAN);
    embed(session, letters(1), LLM_POOLING_MEAN);
    BOOST_TEST(embed(session, ids, LLM_POOLING_NONE) == expected, boost::test_tools::per_element());
    size_t length = 1;
    check(llm_sequence_length(&length, session.get(), 0));
    BOOST_TEST(length == 0u);
}

BOOST_FIXTURE_TEST_CASE(text_becomes_the_tokens_that_the_model_wants, Fixture) {
    std::vector<llm_token> ids(8);
    size_t count = 0;
    check(llm_tokenize(ids.data(), ids.size(), &count, model.get(), "a C", 3, LLM_TOKENIZE_ADD_SPECIAL));
    ids.resize(count);
    const std::vector<llm_token> expected = {2, 4, 6, 3};
    BOOST_TEST(ids == expected, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_small_buffer_gives_the_size, Fixture) {
    const auto ids = letters(3);
    size_t count = 0;
    BOOST_TEST(llm_embed(nullptr, 0, &count, session.get(), ids.data(), 3, LLM_POOLING_NONE, 0) ==
               LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(count == 3 * width);
    BOOST_TEST(llm_embed(out.data(), width - 1, &count, session.get(), ids.data(), 3, 0, 0) == LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(count == width);
    BOOST_TEST(untouched());
    BOOST_TEST(llm_embed(nullptr, width, &count, session.get(), ids.data(), 3, 0, 0) == LLM_ERROR_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(wrong_arguments_are_refused, Fixture) {
    BOOST_TEST(embed_status({}) == LLM_ERROR_ARGUMENT);
    for (const llm_token bad : {-1, 30, INT32_MAX})
        BOOST_TEST(embed_status(std::vector<llm_token>{4, bad}) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(says("at 1"));
    for (const llm_pooling bad : {-1, 5}) BOOST_TEST(embed_status(letters(2), bad) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(embed_status(letters(2), 0, 2) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_embed(out.data(), width, nullptr, nullptr, letters(1).data(), 1, 0, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_embed(out.data(), width, nullptr, session.get(), nullptr, 1, 0, 0) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(untouched());
}

BOOST_FIXTURE_TEST_CASE(long_inputs_are_refused, Fixture) {
    BOOST_TEST(embed_status(letters(601)) == LLM_ERROR_CONTEXT_FULL);
    BOOST_TEST(says("601 tokens, the context can encode 600"));
    BOOST_TEST(untouched());
    Session small(model.get(), encoder_options(32));
    BOOST_TEST((embed(small, letters(32), LLM_POOLING_MEAN) == embed(session, letters(32), LLM_POOLING_MEAN)));
    const auto ids = letters(33);
    BOOST_TEST(llm_embed(out.data(), width, nullptr, small.get(), ids.data(), 33, 0, 0) == LLM_ERROR_CONTEXT_FULL);
    llm_context *context = nullptr;
    const llm_context_options options = precise_options(601);
    BOOST_TEST(llm_context_new(&context, model.get(), &options) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(says("only 600 positions"));
}

BOOST_FIXTURE_TEST_CASE(encoders_and_decoders_are_not_mixed_up, Fixture) {
    const auto ids = letters(2);
    BOOST_TEST(llm_eval(session.get(), 0, ids.data(), 2, LLM_EVAL_LOGITS_NONE) == LLM_ERROR_STATE);
    BOOST_TEST(says("encoder"));
    const ModelPointer decoder = open_model(tiny_llama().bytes());
    const Session other(decoder.get(), precise_options(32));
    BOOST_TEST(llm_embed(out.data(), width, nullptr, other.get(), ids.data(), 2, 0, 0) == LLM_ERROR_STATE);
    BOOST_TEST(says("no encoder"));
}

BOOST_FIXTURE_TEST_CASE(cancelling_leaves_nothing_behind, Fixture) {
    llm_cancel(session.get());
    BOOST_TEST(embed_status(letters(9)) == LLM_CANCELLED);
    BOOST_TEST(untouched());
    BOOST_TEST(embed_status(letters(9)) == LLM_OK);
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_a_status) {
    GgufBuilder file = tiny_bert();
    std::vector<float> weights(width, 1.0f);
    weights[3] = INFINITY;
    ByteWriter bytes;
    for (const float weight : weights) bytes.put(weight);
    file.reshape_tensor("blk.1.layer_output_norm.weight", {width}, 0, bytes.bytes());
    const ModelPointer model = open_model(file.bytes());
    const Session session(model.get(), encoder_options());
    std::vector<float> out(width, -7.0f);
    const auto ids = letters(2);
    BOOST_TEST(llm_embed(out.data(), width, nullptr, session.get(), ids.data(), 2, 0, 0) == LLM_ERROR_NONFINITE);
    BOOST_TEST(out[0] == -7.0f);
}

BOOST_AUTO_TEST_CASE(a_file_may_leave_the_pooling_out) {
    GgufBuilder file = tiny_bert();
    file.remove("bert.pooling_type").remove("bert.attention.causal").remove_tensor("token_types.weight");
    const ModelPointer model = open_model(file.bytes());
    const Session session(model.get(), encoder_options());
    BOOST_TEST((embed(session, letters(9), LLM_POOLING_DEFAULT) == embed(session, letters(9), LLM_POOLING_MEAN)));
}

BOOST_AUTO_TEST_CASE(files_that_ask_for_more_are_refused) {
    const auto open_status = [](const GgufBuilder &file) {
        llm_model *model = nullptr;
        const auto bytes = file.bytes();
        const llm_status status = llm_model_open_memory(&model, bytes.data(), bytes.size(), nullptr);
        llm_model_close(model);
        return status;
    };
    BOOST_TEST(open_status(tiny_bert().set("bert.pooling_type", uint32_t{4})) == LLM_ERROR_UNSUPPORTED);
    BOOST_TEST(says("bert.pooling_type"));
    BOOST_TEST(open_status(tiny_bert().set("bert.attention.causal", true)) == LLM_ERROR_UNSUPPORTED);
    BOOST_TEST(open_status(tiny_bert().set("bert.context_length", uint32_t{601})) == LLM_ERROR_MODEL);
    BOOST_TEST(says("position_embd.weight"));
    BOOST_TEST(open_status(tiny_bert().remove_tensor("blk.1.ffn_up.weight")) == LLM_ERROR_MODEL);
    GgufBuilder narrow = tiny_bert();
    narrow.reshape_tensor("token_types.weight", {width / 2, 2}, 0, std::vector<uint8_t>(width * 4));
    BOOST_TEST(open_status(narrow) == LLM_ERROR_MODEL);
    BOOST_TEST(says("token_types.weight"));
}

}  // namespace llm::test
