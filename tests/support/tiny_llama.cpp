// Hyper-parameters, vocabulary and weights of the tiny model.
#include "support/tiny_llama.h"

#include "support/random_weights.h"

#include <sstream>

namespace llm::test {

namespace {

constexpr uint32_t type_f32 = 0, type_f16 = 1, type_q8_0 = 8, type_q4_k = 12;

// Each half is a byte or the result of an earlier merge. "Ġ" is the space.
constexpr std::string_view merge_list =
    "Ġ t,h e,i n,r e,o n,Ġt he,e r,Ġ a,Ġ s,n d,a t,Ġ w,o r,Ġ o,e n,Ġa nd,i s,Ġ c,i t,e s,Ġ f,Ġ b,o u,in g,Ġ p,e d,Ġo f,"
    "a n,Ġ m,a l,Ġt o,Ġ in,Ġ d,a r,Ġ h,i c,l l,Ġ l,Ġ n,r o,o m";

std::vector<std::string> split_merges() {
    std::vector<std::string> merges;
    std::istringstream list{std::string(merge_list)};
    for (std::string merge; std::getline(list, merge, ',');) merges.push_back(merge);
    return merges;
}

std::string utf8(uint32_t code) {  // below 0x800
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

bool stands_for_itself(uint32_t byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

void set_hyper_parameters(GgufBuilder &model, uint32_t vocabulary) {
    model.set("general.architecture", "llama")
        .set("general.name", "tiny llama")
        .set("llama.context_length", uint32_t{128})
        .set("llama.embedding_length", uint32_t{256})
        .set("llama.block_count", uint32_t{1})
        .set("llama.feed_forward_length", uint32_t{512})
        .set("llama.attention.head_count", uint32_t{4})
        .set("llama.attention.head_count_kv", uint32_t{2})
        .set("llama.attention.layer_norm_rms_epsilon", 1e-5f)
        .set("llama.rope.dimension_count", uint32_t{64})
        .set("llama.rope.freq_base", 10000.0f)
        .set("llama.vocab_size", vocabulary);
}

void set_vocabulary(GgufBuilder &model, const std::vector<std::string> &more_controls) {
    const std::vector<std::string> merges = split_merges();
    std::vector<std::string> tokens;
    for (uint32_t byte = 0; byte < 256; ++byte) tokens.push_back(gpt2_byte_spelling(static_cast<uint8_t>(byte)));
    for (std::string merge : merges) tokens.push_back(merge.erase(merge.find(' '), 1));
    std::vector<int32_t> types(tokens.size(), 1);  // normal
    for (const char *control : {"<|begin|>", "<|end|>", "<|turn|>"}) tokens.push_back(control);
    tokens.insert(tokens.end(), more_controls.begin(), more_controls.end());
    types.resize(tokens.size(), 3);
    model.set("tokenizer.ggml.model", "gpt2")
        .set("tokenizer.ggml.pre", "gpt-2")
        .set_strings("tokenizer.ggml.tokens", tokens)
        .set_array("tokenizer.ggml.token_type", types)
        .set_strings("tokenizer.ggml.merges", merges)
        .set("tokenizer.ggml.bos_token_id", uint32_t{297})
        .set("tokenizer.ggml.eos_token_id", uint32_t{298})
        .set("tokenizer.ggml.eot_token_id", uint32_t{299})
        .set("tokenizer.ggml.add_bos_token", true);
}

void add_tensors(GgufBuilder &model, uint64_t vocabulary) {
    constexpr uint64_t embedding = 256, key_value = 128, feed_forward = 512;
    RandomWeights random(20240607);
    const auto norm = [&](const std::string &name) {
        model.add_tensor(name, {embedding}, type_f32, random.f32(embedding, 1.0f, 0.2f));
    };
    const auto matrix = [&](const std::string &name, uint64_t columns, uint64_t rows, float spread) {
        model.add_tensor(name, {columns, rows}, type_f32, random.f32(columns * rows, 0.0f, spread));
    };
    matrix("token_embd.weight", embedding, vocabulary, 0.5f);
    norm("blk.0.attn_norm.weight");
    model.add_tensor("blk.0.attn_q.weight", {embedding, embedding}, type_q8_0, random.q8_0(embedding * embedding));
    matrix("blk.0.attn_k.weight", embedding, key_value, 0.1f);
    matrix("blk.0.attn_v.weight", embedding, key_value, 0.1f);
    matrix("blk.0.attn_output.weight", embedding, embedding, 0.1f);
    norm("blk.0.ffn_norm.weight");
    model.add_tensor("blk.0.ffn_gate.weight", {embedding, feed_forward}, type_q4_k,
                     random.q4_k(embedding * feed_forward));
    model.add_tensor("blk.0.ffn_up.weight", {embedding, feed_forward}, type_f16, random.f16(embedding * feed_forward));
    matrix("blk.0.ffn_down.weight", feed_forward, embedding, 0.1f);
    norm("output_norm.weight");
    matrix("output.weight", embedding, vocabulary, 0.2f);
}

}  // namespace

std::string gpt2_byte_spelling(uint8_t byte) {
    if (stands_for_itself(byte)) return utf8(byte);
    uint32_t code = 256;
    for (uint32_t lower = 0; lower < byte; ++lower) code += !stands_for_itself(lower);
    return utf8(code);
}

GgufBuilder tiny_llama(const std::vector<std::string> &more_controls) {
    const uint32_t vocabulary = tiny_llama_vocabulary_size + static_cast<uint32_t>(more_controls.size());
    GgufBuilder model;
    set_hyper_parameters(model, vocabulary);
    set_vocabulary(model, more_controls);
    add_tensors(model, vocabulary);
    return model;
}

}  // namespace llm::test
