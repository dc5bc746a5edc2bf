#include "support/tiny_bert.h"

#include "support/random_weights.h"

namespace llm::test {

namespace {

constexpr uint32_t type_f32 = 0, type_f16 = 1, type_q8_0 = 8, type_q4_k = 12;
constexpr uint64_t width = tiny_bert_width, feed_forward = 256;
constexpr uint32_t layer_count = 2;

void set_hyper_parameters(GgufBuilder &model) {
    model.set("general.architecture", "bert")
        .set("general.name", "tiny bert")
        .set("bert.context_length", tiny_bert_positions)
        .set("bert.embedding_length", uint32_t{width})
        .set("bert.block_count", layer_count)
        .set("bert.feed_forward_length", uint32_t{feed_forward})
        .set("bert.attention.head_count", uint32_t{2})
        .set("bert.attention.layer_norm_epsilon", 1e-12f)
        .set("bert.attention.causal", false)
        .set("bert.pooling_type", uint32_t{2});
}

void set_vocabulary(GgufBuilder &model) {
    std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
    std::vector<int32_t> types = {3, 2, 3, 3};
    for (char letter = 'a'; letter <= 'z'; ++letter) {
        tokens.push_back("\u2581" + std::string(1, letter));  // the mark of a word's start
        types.push_back(1);
    }
    model.set("tokenizer.ggml.model", "bert")
        .set_strings("tokenizer.ggml.tokens", tokens)
        .set_array("tokenizer.ggml.token_type", types)
        .set("tokenizer.ggml.token_type_count", uint32_t{2})
        .set("tokenizer.ggml.unknown_token_id", uint32_t{1})
        .set("tokenizer.ggml.cls_token_id", uint32_t{2})
        .set("tokenizer.ggml.seperator_token_id", uint32_t{3})
        .set("tokenizer.ggml.padding_token_id", uint32_t{0});
}

class TensorAdder {
public:
    explicit TensorAdder(GgufBuilder &model) : model_(model) {}

    void vector(const std::string &name, uint64_t length, float center) {
        model_.add_tensor(name, {length}, type_f32, random_.f32(length, center, 0.2f));
    }
    void norm(const std::string &name) {
        vector(name + ".weight", width, 1.0f);
        vector(name + ".bias", width, 0.0f);
    }
    void matrix(const std::string &name, uint64_t columns, uint64_t rows, float spread) {
        model_.add_tensor(name, {columns, rows}, type_f32, random_.f32(columns * rows, 0.0f, spread));
    }
    void linear(const std::string &name, uint64_t columns, uint64_t rows) {
        matrix(name + ".weight", columns, rows, 0.2f);
        vector(name + ".bias", rows, 0.0f);
    }
    void layer(const std::string &block) {
        for (const char *name : {"attn_q", "attn_k", "attn_v", "attn_output"}) linear(block + name, width, width);
        norm(block + "attn_output_norm");
        linear(block + "ffn_up", width, feed_forward);
        linear(block + "ffn_down", feed_forward, width);
        norm(block + "layer_output_norm");
        model_.reshape_tensor(block + "attn_q.weight", {width, width}, type_q8_0, random_.q8_0(width * width));
        model_.reshape_tensor(block + "attn_output.weight", {width, width}, type_f16, random_.f16(width * width));
        model_.reshape_tensor(block + "ffn_down.weight", {feed_forward, width}, type_q4_k,
                              random_.q4_k(feed_forward * width));
    }

private:
    GgufBuilder &model_;
    RandomWeights random_{20181011};
};

}  // namespace

GgufBuilder tiny_bert() {
    GgufBuilder model;
    set_hyper_parameters(model);
    set_vocabulary(model);
    TensorAdder add(model);
    add.matrix("token_embd.weight", width, tiny_bert_vocabulary_size, 1.0f);
    add.matrix("position_embd.weight", width, tiny_bert_positions, 0.5f);
    add.matrix("token_types.weight", width, 2, 0.5f);
    add.norm("token_embd_norm");
    for (uint32_t layer = 0; layer < layer_count; ++layer) add.layer("blk." + std::to_string(layer) + ".");
    return model;
}

}  // namespace llm::test
