// Attention of heads of any length, and over a window of the past: properties that hold to the bit.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

namespace llm::test {

namespace {

constexpr uint32_t width = 256, heads = 4, kv_heads = 2, type_f32 = 0;

using Floats = std::vector<float>;

Floats random_floats(size_t count, uint32_t seed) {
    std::mt19937 random(seed);
    Floats values(count);
    for (float &v : values) v = static_cast<float>(static_cast<int32_t>(random() >> 8) - (1 << 23)) * 0x1p-26f;
    return values;
}

std::vector<uint8_t> bytes_of(const Floats &values) {
    ByteWriter out;
    for (const float v : values) out.put(v);
    return out.bytes();
}

// Rows of each head, with zero rows up to `padded`.
Floats pad_rows(const Floats &matrix, uint32_t head_count, uint32_t length, uint32_t padded) {
    Floats out;
    for (uint32_t head = 0; head < head_count; ++head) {
        out.insert(out.end(), matrix.begin() + head * length * width, matrix.begin() + (head + 1) * length * width);
        out.resize(out.size() + (padded - length) * width);
    }
    return out;
}

// Columns of each head, with zero columns up to `padded`.
Floats pad_columns(const Floats &matrix, uint32_t length, uint32_t padded) {
    Floats out;
    for (uint32_t i = 0; i < width * heads; ++i) {
        out.insert(out.end(), matrix.begin() + i * length, matrix.begin() + (i + 1) * length);
        out.resize(out.size() + padded - length);
    }
    return out;
}

// Heads of the given lengths, filled up with zero weights to the stored ones. The scores, which are divided by the root
// of the stored length, are the same when that is a power of four times the key length.
GgufBuilder model_with_heads(uint32_t key, uint32_t value, uint32_t stored_key, uint32_t stored_value) {
    float factor = 1.0f;
    for (uint32_t length = key; length < stored_key; length *= 4) factor *= 2.0f;
    Floats query = random_floats(size_t{heads} * key * width, 1);
    for (float &v : query) v *= factor;
    const Floats keys = random_floats(size_t{kv_heads} * key * width, 2);
    const Floats values = random_floats(size_t{kv_heads} * value * width, 3);
    const Floats output = random_floats(size_t{width} * heads * value, 4);
    return tiny_llama()
        .set("llama.attention.key_length", stored_key)
        .set("llama.attention.value_length", stored_value)
        .set("llama.rope.dimension_count", uint32_t{8})
        .reshape_tensor("blk.0.attn_q.weight", {width, heads * stored_key}, type_f32,
                        bytes_of(pad_rows(query, heads, key, stored_key)))
        .reshape_tensor("blk.0.attn_k.weight", {width, kv_heads * stored_key}, type_f32,
                        bytes_of(pad_rows(keys, kv_heads, key, stored_key)))
        .reshape_tensor("blk.0.attn_v.weight", {width, kv_heads * stored_value}, type_f32,
                        bytes_of(pad_rows(values, kv_heads, value, stored_value)))
        .reshape_tensor("blk.0.attn_output.weight", {heads * stored_value, width}, type_f32,
                        bytes_of(pad_columns(output, value, stored_value)));
}

std::vector<llm_token> random_tokens(size_t count) {
    std::mt19937 random(7);
    std::vector<llm_token> tokens(count);
    for (llm_token &token : tokens) token = static_cast<llm_token>(random() % 256);
    return tokens;
}

Floats logits_of(const std::vector<uint8_t> &file, std::span<const llm_token> tokens) {
    const ModelPointer model = open_model(file);
    Session session(model.get(), precise_options(128));
    Floats logits = session.evaluate_all(tokens);
    session.clear();
    for (const llm_token &token : tokens.first(20)) {  // rows of their own take another way through attention
        const Floats row = session.evaluate(std::span(&token, 1));
        logits.insert(logits.end(), row.begin(), row.end());
    }
    return logits;
}

// Gemma 2's first layer is local: a model of one layer, whose rows see nothing but their window.
std::vector<uint8_t> local_model(uint32_t window, uint32_t context_length) {
    const std::vector<uint8_t> ones = bytes_of(Floats(width, 1.0f));
    return tiny_llama()
        .set("general.architecture", "gemma2")
        .set("gemma2.context_length", context_length)
        .set("gemma2.embedding_length", width)
        .set("gemma2.block_count", uint32_t{1})
        .set("gemma2.feed_forward_length", uint32_t{512})
        .set("gemma2.attention.head_count", heads)
        .set("gemma2.attention.head_count_kv", kv_heads)
        .set("gemma2.attention.layer_norm_rms_epsilon", 1e-5f)
        .set("gemma2.attention.sliding_window", window)
        .add_tensor("blk.0.post_attention_norm.weight", {width}, type_f32, ones)
        .add_tensor("blk.0.post_ffw_norm.weight", {width}, type_f32, ones)
        .bytes();
}

Floats row_of(Session &session, std::span<const llm_token> tokens, uint32_t position) {
    session.clear();
    const Floats rows = session.evaluate_all(tokens.first(position + 1));
    return Floats(rows.end() - session.vocabulary_size(), rows.end());
}

// The logits at a position depend on the token there and the `window` - 1 before it, and on no other.
void check_window_edge(Session &session, std::vector<llm_token> tokens, uint32_t window, uint32_t position) {
    const Floats row = row_of(session, tokens, position);
    session.clear();
    if (position > 0) session.evaluate(std::span(tokens).first(position));
    BOOST_TEST((session.evaluate(std::span(tokens).subspan(position, 1)) == row));  // alone, as when generating
    const uint32_t first_seen = position < window ? 0 : position + 1 - window;
    tokens[first_seen] ^= 1;
    BOOST_TEST((row_of(session, tokens, position) != row));
    tokens[first_seen] ^= 1;
    for (uint32_t i = 0; i < first_seen; ++i) tokens[i] ^= 1;
    BOOST_TEST((row_of(session, tokens, position) == row));
}

}  // namespace

BOOST_AUTO_TEST_CASE(zeros_behind_a_head_change_nothing) {
    struct Lengths {
        uint32_t key, value, padded;
    };
    const std::vector<llm_token> tokens = random_tokens(100);
    for (const auto [key, value, padded] :
         {Lengths{16, 64, 64}, {64, 16, 64}, {20, 12, 80}, {12, 20, 48}, {30, 50, 120}, {8, 33, 128}}) {
        BOOST_TEST_CONTEXT("keys of " << key << " elements, values of " << value) {
            const Floats own = logits_of(model_with_heads(key, value, key, value).bytes(), tokens);
            const Floats filled = logits_of(model_with_heads(key, value, padded, padded).bytes(), tokens);
            BOOST_TEST((own == filled));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_window_has_sharp_edges) {
    const std::vector<llm_token> tokens = random_tokens(1201);
    for (const uint32_t window : {1u, 2u, 16u, 63u, 64u, 65u, 512u, 600u}) {
        const ModelPointer model = open_model(local_model(window, 1280));
        Session session(model.get(), precise_options(1280));
        for (const uint32_t position : {window - 1, window, window + 1, 2 * window}) {
            BOOST_TEST_CONTEXT("window " << window << ", position " << position) {
                check_window_edge(session, tokens, window, position);
            }
        }
    }
}

}  // namespace llm::test
