// Hyper-parameters and weights of the tiny model.
#include "support/tiny_gemma2.h"

#include "support/random_weights.h"
#include "support/tiny_llama.h"

namespace llm::test {

namespace {

constexpr uint32_t type_f32 = 0;

void remove_llama(GgufBuilder &model) {
    model.remove_tensor("token_embd.weight").remove_tensor("output_norm.weight").remove_tensor("output.weight");
    for (const char *name :
         {"attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down"})
        model.remove_tensor(std::string("blk.0.") + name + ".weight");
}

void add_tensors(GgufBuilder &model) {
    constexpr uint64_t embedding = 64, key_value = 32, feed_forward = 128;
    RandomWeights random(20241130);
    const auto norm = [&](const std::string &name) {
        model.add_tensor(name, {embedding}, type_f32, random.f32(embedding, 1.0f, 0.2f));
    };
    const auto matrix = [&](const std::string &name, uint64_t columns, uint64_t rows, float spread) {
        model.add_tensor(name, {columns, rows}, type_f32, random.f32(columns * rows, 0.0f, spread));
    };
    matrix("token_embd.weight", embedding, tiny_llama_vocabulary_size, 0.5f);
    for (const std::string block : {"blk.0.", "blk.1."}) {
        norm(block + "attn_norm.weight");
        matrix(block + "attn_q.weight", embedding, embedding, 0.4f);
        matrix(block + "attn_k.weight", embedding, key_value, 0.4f);
        matrix(block + "attn_v.weight", embedding, key_value, 0.4f);
        matrix(block + "attn_output.weight", embedding, embedding, 0.4f);
        norm(block + "post_attention_norm.weight");
        norm(block + "ffn_norm.weight");
        matrix(block + "ffn_gate.weight", embedding, feed_forward, 0.2f);
        matrix(block + "ffn_up.weight", embedding, feed_forward, 0.2f);
        matrix(block + "ffn_down.weight", feed_forward, embedding, 0.2f);
        norm(block + "post_ffw_norm.weight");
    }
    norm("output_norm.weight");
}

}  // namespace

GgufBuilder tiny_gemma2(uint32_t window) {
    GgufBuilder model = tiny_llama();
    remove_llama(model);
    model.set("general.architecture", "gemma2")
        .set("general.name", "tiny gemma 2")
        .set("gemma2.context_length", uint32_t{4096})
        .set("gemma2.embedding_length", uint32_t{64})
        .set("gemma2.block_count", uint32_t{2})
        .set("gemma2.feed_forward_length", uint32_t{128})
        .set("gemma2.attention.head_count", uint32_t{2})
        .set("gemma2.attention.head_count_kv", uint32_t{1})
        .set("gemma2.attention.key_length", uint32_t{32})
        .set("gemma2.attention.value_length", uint32_t{32})
        .set("gemma2.attention.layer_norm_rms_epsilon", 1e-6f)
        .set("gemma2.attention.sliding_window", window);
    add_tensors(model);
    return model;
}

}  // namespace llm::test
