// Every rule that a hyper-parameter must obey, and the text that names the key.
#include "model/architecture.h"

#include "base/error.h"
#include "model/blocks.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

namespace llm {

namespace {

using test::GgufBuilder;
using test::tiny_llama;

// Reads what all architectures share and what this one reads itself.
HyperParameters read(const GgufBuilder &builder) {
    const GgufFile file = GgufFile::parse(builder.bytes());
    const HyperParameters parameters = read_hyper_parameters(file, "llama", test::tiny_llama_vocabulary_size);
    Graph graph;
    GraphBuilder graph_builder(graph);
    WeightSet weights(file, LoadMode::packed);
    build_llama(graph_builder, weights, parameters, ParameterReader(file, "llama"));
    return parameters;
}

// Reading must fail, with a text that names the key.
void refused(const GgufBuilder &builder, llm_status status, const std::string &key) {
    BOOST_TEST_CONTEXT("key " << key) {
        try {
            read(builder);
            BOOST_ERROR("accepted");
        } catch (const Error &error) {
            BOOST_TEST(error.status() == status);
            BOOST_TEST(std::string(error.what()).find(key) != std::string::npos);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_read) {
    const HyperParameters p = read(tiny_llama());
    BOOST_TEST(p.embedding_length == 256u);
    BOOST_TEST(p.layer_count == 1u);
    BOOST_TEST(p.head_count == 4u);
    BOOST_TEST(p.head_count_kv == 2u);
    BOOST_TEST(p.key_length == 64u);
    BOOST_TEST(p.value_length == 64u);
    BOOST_TEST(p.feed_forward_length == 512u);
    BOOST_TEST(p.rope.dimension_count == 64u);
}

BOOST_AUTO_TEST_CASE(any_integer_width_will_do) {
    for (const char *key : {"llama.context_length", "llama.embedding_length", "llama.block_count",
                            "llama.attention.head_count", "llama.feed_forward_length"}) {
        const GgufFile file = GgufFile::parse(tiny_llama().bytes());
        const auto value = file.get<uint64_t>(key);
        BOOST_CHECK_NO_THROW(read(tiny_llama().set(key, static_cast<uint16_t>(value))));
        BOOST_CHECK_NO_THROW(read(tiny_llama().set(key, static_cast<int32_t>(value))));
        BOOST_CHECK_NO_THROW(read(tiny_llama().set(key, static_cast<int64_t>(value))));
        BOOST_CHECK_NO_THROW(read(tiny_llama().set(key, value)));
    }
}

BOOST_AUTO_TEST_CASE(required_keys_are_required) {
    for (const std::string key :
         {"llama.context_length", "llama.embedding_length", "llama.block_count", "llama.attention.head_count",
          "llama.feed_forward_length", "llama.attention.layer_norm_rms_epsilon"})
        refused(tiny_llama().remove(key), LLM_ERROR_MODEL, key);
}

BOOST_AUTO_TEST_CASE(counts_outside_their_range_are_refused) {
    for (const std::string key : {"llama.embedding_length", "llama.block_count", "llama.attention.head_count",
                                  "llama.attention.head_count_kv", "llama.feed_forward_length"}) {
        refused(tiny_llama().set(key, uint32_t{0}), LLM_ERROR_MODEL, key);
        refused(tiny_llama().set(key, int32_t{-1}), LLM_ERROR_MODEL, key);
        refused(tiny_llama().set(key, uint32_t{1} << 31), LLM_ERROR_MODEL, key);
        refused(tiny_llama().set(key, uint64_t{1} << 40), LLM_ERROR_MODEL, key);
        refused(tiny_llama().set(key, 3.5f), LLM_ERROR_MODEL, key);
        refused(tiny_llama().set(key, "32"), LLM_ERROR_MODEL, key);
    }
    refused(tiny_llama().set("llama.context_length", uint32_t{0}), LLM_ERROR_MODEL, "llama.context_length");
    BOOST_TEST(read(tiny_llama().set("llama.context_length", uint64_t{1} << 40)).context_length == uint32_t{INT32_MAX});
}

BOOST_AUTO_TEST_CASE(numbers_must_fit_together) {
    refused(tiny_llama().set("llama.attention.head_count", uint32_t{3}), LLM_ERROR_MODEL, "llama.attention.head_count");
    refused(tiny_llama().set("llama.attention.head_count_kv", uint32_t{3}), LLM_ERROR_MODEL, "head_count_kv");
    refused(tiny_llama().set("llama.attention.head_count_kv", uint32_t{8}), LLM_ERROR_MODEL, "head_count_kv");
    refused(tiny_llama().set("llama.rope.dimension_count", uint32_t{63}), LLM_ERROR_MODEL,
            "llama.rope.dimension_count");
    refused(tiny_llama().set("llama.rope.dimension_count", uint32_t{128}), LLM_ERROR_MODEL,
            "llama.rope.dimension_count");
    refused(tiny_llama().set("llama.vocab_size", uint32_t{301}), LLM_ERROR_MODEL, "llama.vocab_size");
    refused(tiny_llama().set("llama.attention.key_length", uint32_t{32}), LLM_ERROR_MODEL, "rope.dimension_count");
    for (const std::string key : {"llama.attention.key_length", "llama.attention.value_length"})
        for (const uint32_t length : {0u, 513u}) refused(tiny_llama().set(key, length), LLM_ERROR_MODEL, key);
    refused(tiny_llama().set("llama.expert_count", uint32_t{1} << 31), LLM_ERROR_MODEL, "llama.expert_count");
    GgufBuilder experts = tiny_llama().set("llama.expert_count", uint32_t{4});
    refused(experts, LLM_ERROR_MODEL, "llama.expert_used_count");
    for (const uint32_t used : {0u, 5u})
        refused(experts.set("llama.expert_used_count", used), LLM_ERROR_MODEL, "llama.expert_used_count");
    refused(experts.set("llama.expert_used_count", uint32_t{4}).set("llama.expert_feed_forward_length", uint32_t{0}),
            LLM_ERROR_MODEL, "llama.expert_feed_forward_length");
}

BOOST_AUTO_TEST_CASE(real_numbers_must_be_positive_and_finite) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (const std::string key : {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base",
                                  "llama.rope.scaling.factor", "llama.rope.scaling.attn_factor"})
        for (const float value : {0.0f, -1.0f, infinity, -infinity, std::nanf("")})
            refused(tiny_llama().set(key, value), LLM_ERROR_MODEL, key);
}

BOOST_AUTO_TEST_CASE(rope_scaling_is_known_or_refused) {
    BOOST_TEST((read(tiny_llama()).rope.scaling == RopeScaling::none));
    BOOST_TEST((read(tiny_llama().set("llama.rope.scaling.type", "yarn")).rope.scaling == RopeScaling::yarn));
    BOOST_TEST((read(tiny_llama().set("llama.rope.scaling.type", "longrope")).rope.scaling == RopeScaling::longrope));
    BOOST_TEST((read(tiny_llama().set("llama.rope.scale_linear", 2.0f)).rope.scaling == RopeScaling::linear));
    refused(tiny_llama().set("llama.rope.scaling.type", "spiral"), LLM_ERROR_UNSUPPORTED, "llama.rope.scaling.type");
    refused(tiny_llama().set("llama.rope.scaling.original_context_length", uint32_t{0}), LLM_ERROR_MODEL,
            "original_context_length");
}

BOOST_AUTO_TEST_CASE(windows_of_layers) {
    const std::string window = "llama.attention.sliding_window", pattern = "llama.attention.sliding_window_pattern";
    const auto windows = [](const GgufBuilder &builder, uint32_t layers) {
        const GgufFile file = GgufFile::parse(builder.bytes());
        return read_windows(ParameterReader(file, "llama"), layers, 7, 3);
    };
    using Windows = std::vector<uint32_t>;
    BOOST_TEST((windows(tiny_llama(), 7) == Windows{7, 7, 0, 7, 7, 0, 7}));
    BOOST_TEST((windows(tiny_llama().set(window, uint32_t{5}), 4) == Windows{5, 5, 0, 5}));
    BOOST_TEST((windows(tiny_llama().set(window, uint32_t{0}), 4) == Windows(4)));
    BOOST_TEST((windows(tiny_llama().set(pattern, uint32_t{2}), 4) == Windows{7, 0, 7, 0}));
    BOOST_TEST((windows(tiny_llama().set(pattern, uint32_t{1}), 3) == Windows(3)));
    BOOST_TEST((windows(tiny_llama().set(pattern, uint32_t{0}), 3) == Windows{7, 7, 7}));
    const auto flags = tiny_llama().set_array(pattern, std::vector<bool>{false, true, true});
    BOOST_TEST((windows(flags, 3) == Windows{0, 7, 7}));
    for (const uint32_t layers : {2u, 4u})
        BOOST_CHECK_EXCEPTION(windows(flags, layers), Error, [&](const Error &error) {
            return error.status() == LLM_ERROR_MODEL && std::string(error.what()).find(pattern) != std::string::npos;
        });
}

}  // namespace llm
