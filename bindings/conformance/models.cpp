// conformance_models FOLDER: writes the models that the conformance cases name, the same bytes on every machine.
#include "support/random_weights.h"
#include "support/tiny_bert.h"
#include "support/tiny_llama.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>

namespace llm::test {

namespace {

constexpr uint32_t type_f32 = 0;
constexpr uint32_t token_begin = 297, token_end = 298, token_turn = 299, token_turn_end = 301, vocabulary_size = 302;
constexpr uint64_t width = 256, key_value = 128, feed_forward = 512;

std::vector<uint8_t> f32_bytes(const std::vector<float> &values) {
    ByteWriter out;
    for (const float value : values) out.put(value);
    return out.bytes();
}

// ---- What both decoders have ----------------------------------------------------------------------------------------

constexpr const char *chat_template = R"({%- if tools %}
    {{- '<|im_start|>system\nYou may call these functions:\n' }}
    {%- for tool in tools %}
        {{- tool | tojson + '\n' }}
    {%- endfor %}
    {{- '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' }}
    {%- if message.content %}
        {{- message.content | trim }}
    {%- endif %}
    {%- for call in message.tool_calls or [] %}
        {{- '<tool_call>' + call.function | tojson + '</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %})";

constexpr const char *endless_template =
    "{% for i in range(90000) %}{% for j in range(90000) %}{% if i == -1 %}{{ j }}{% endif %}{% endfor %}{% endfor %}";

GgufBuilder decoder_base() {
    GgufBuilder model = tiny_llama({"<|im_start|>", "<|im_end|>"});
    model.set("llama.context_length", uint32_t{512})
        .set("tokenizer.ggml.eot_token_id", token_turn_end)
        .set("tokenizer.chat_template", chat_template)
        .set("tokenizer.chat_template.endless", endless_template)
        .set("tokenizer.chat_template.refusing", "{{ raise_exception('no conversations, please') }}")
        .set("tokenizer.chat_template.wrong", "line one\n{% for %}")
        .set("tokenizer.chat_template.dated", "{{ strftime_now('%Y-%m-%d %H:%M') }}")
        .set_strings("tokenizer.chat_templates", {"endless", "refusing", "wrong", "dated"});
    return model;
}

// ---- decoder.gguf: random weights -----------------------------------------------------------------------------------

// Whether a token is to be chosen often: letters, the space, and pieces of words, so that texts are legible.
bool is_legible(uint32_t token) {
    const bool is_letter = token >= 'a' && token <= 'z';
    return is_letter || token == ' ' || (token >= 256 && token < token_begin);
}

GgufBuilder decoder() {
    GgufBuilder model = decoder_base();
    model.set("general.name", "conformance decoder")
        .set("conformance.small", int8_t{-7})
        .set("conformance.large", std::numeric_limits<uint64_t>::max())
        .set("conformance.half", 0.5)
        .set("conformance.text", std::string_view("n\0l \xF0\x9F\x98\x80", 8))
        .set_array("conformance.numbers", std::vector<int32_t>{3, -1, 4});
    RandomWeights random(20241203);
    for (const char *name : {"blk.0.attn_q.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight"}) {
        const uint64_t rows = std::string_view(name) == "blk.0.attn_q.weight" ? width : feed_forward;
        model.reshape_tensor(name, {width, rows}, type_f32, random.f32(width * rows, 0.0f, 0.15f));
    }
    ByteWriter output;
    for (uint32_t token = 0; token < vocabulary_size; ++token) {
        const std::vector<uint8_t> row = random.f32(width, 0.0f, is_legible(token) ? 0.3f : 0.1f);
        output.put(std::span(row));
    }
    model.reshape_tensor("output.weight", {width, vocabulary_size}, type_f32, output.bytes());
    return model;
}

// ---- chain.gguf: each token says what follows it --------------------------------------------------------------------

// The embedding of a token is one of the unit vectors and the layer adds nothing to it, so that the logits after a
// token are a column of the output matrix, times 16 (the norm makes the root mean square of a unit vector 1).
// Merged tokens have no such vector: nothing is known of what follows them.
uint32_t unit_vector(uint32_t token) {
    return token < 256 ? token : 0xF8 + token - token_begin;  // no text has such a byte
}

class Chain {
public:
    void set_logit(uint32_t token, uint32_t next, float logit) {
        output_[next * width + unit_vector(token)] = logit / 16;
    }

    // Each byte of a text is followed by the next one. No byte may stand in two texts.
    Chain &text(std::string_view bytes) {
        for (size_t i = 0; i + 1 < bytes.size(); ++i) follow(bytes[i], static_cast<uint8_t>(bytes[i + 1]));
        return *this;
    }
    Chain &follow(char last, uint32_t next) { return follow(static_cast<uint8_t>(last), next); }
    Chain &follow(uint8_t last, uint32_t next) { return follow(uint32_t{last}, next); }
    Chain &follow(uint32_t last, uint32_t next) {
        set_logit(last, next, 16.0f);
        return *this;
    }

    // After `token` and after each digit comes a digit, with logits that differ by at least 0.4 and less than 4.
    Chain &digits(char token) {
        for (uint32_t next = 0; next < 10; ++next) set_digit(static_cast<uint8_t>(token), 0, next);
        for (uint32_t last = 0; last < 10; ++last)
            for (uint32_t next = 0; next < 10; ++next) set_digit('0' + last, last, next);
        return *this;
    }

    std::vector<uint8_t> output() const { return f32_bytes(output_); }

private:
    void set_digit(uint32_t token, uint32_t last, uint32_t next) {
        set_logit(token, '0' + next, 8.0f + 0.4f * static_cast<float>((3 * last + 7 * next) % 10));
    }

    std::vector<float> output_ = std::vector<float>(vocabulary_size * width);
};

std::vector<uint8_t> unit_vectors() {
    std::vector<float> out(vocabulary_size * width);
    for (uint32_t token = 0; token < vocabulary_size; ++token)
        if (token < 256 || token >= token_begin) out[token * width + unit_vector(token)] = 1.0f;
    return f32_bytes(out);
}

GgufBuilder chain() {
    Chain chain;
    chain.text("A box:\xF0\x9F\x98\x80!").follow('!', token_turn_end);  // an end of turn
    chain.text("ZYZ");                                                  // no end
    chain.text("Q\xE2\x82").follow('\x82', token_end);                  // no complete character
    chain.text("Kk").follow('k', token_turn).follow(token_turn, 'v').follow('v', token_end);
    chain.digits('R');  // a choice

    GgufBuilder model = decoder_base();
    model.set("general.name", "conformance chain");
    const auto fill = [&](const std::string &name, std::vector<uint64_t> shape, float value) {
        uint64_t count = 1;
        for (const uint64_t dimension : shape) count *= dimension;
        model.reshape_tensor(name, shape, type_f32, f32_bytes(std::vector<float>(count, value)));
    };
    for (const char *name : {"blk.0.attn_norm.weight", "blk.0.ffn_norm.weight", "output_norm.weight"})
        fill(name, {width}, 1.0f);
    for (const char *name : {"blk.0.attn_q.weight", "blk.0.attn_output.weight"}) fill(name, {width, width}, 0.0f);
    for (const char *name : {"blk.0.attn_k.weight", "blk.0.attn_v.weight"}) fill(name, {width, key_value}, 0.0f);
    for (const char *name : {"blk.0.ffn_gate.weight", "blk.0.ffn_up.weight"}) fill(name, {width, feed_forward}, 0.0f);
    fill("blk.0.ffn_down.weight", {feed_forward, width}, 0.0f);
    model.reshape_tensor("token_embd.weight", {width, vocabulary_size}, type_f32, unit_vectors());
    model.reshape_tensor("output.weight", {width, vocabulary_size}, type_f32, chain.output());
    return model;
}

// ---- encoder.gguf ---------------------------------------------------------------------------------------------------

// tiny_bert() with all weights in F32, and with letters that continue a word, so that lower-case words are known.
GgufBuilder encoder() {
    constexpr uint64_t encoder_width = tiny_bert_width, encoder_feed_forward = 256, letters = 26;
    constexpr uint32_t encoder_vocabulary = tiny_bert_vocabulary_size + letters;
    GgufBuilder model = tiny_bert();
    std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
    std::vector<int32_t> types = {3, 2, 3, 3};
    for (const char *mark : {"\u2581", ""})
        for (char letter = 'a'; letter <= 'z'; ++letter) tokens.push_back(std::string(mark) + letter);
    types.resize(encoder_vocabulary, 1);
    model.set("general.name", "conformance encoder")
        .set_strings("tokenizer.ggml.tokens", tokens)
        .set_array("tokenizer.ggml.token_type", types)
        .set("tokenizer.ggml.bos_token_id", uint32_t{2})
        .set("tokenizer.ggml.eos_token_id", uint32_t{3});
    RandomWeights random(20190524);
    const auto matrix = [&](const std::string &name, uint64_t columns, uint64_t rows, float spread) {
        model.reshape_tensor(name, {columns, rows}, type_f32, random.f32(columns * rows, 0.0f, spread));
    };
    matrix("token_embd.weight", encoder_width, encoder_vocabulary, 1.0f);
    for (const std::string block : {"blk.0.", "blk.1."}) {
        matrix(block + "attn_q.weight", encoder_width, encoder_width, 0.2f);
        matrix(block + "attn_output.weight", encoder_width, encoder_width, 0.2f);
        matrix(block + "ffn_down.weight", encoder_feed_forward, encoder_width, 0.2f);
    }
    return model;
}

// ---- Files that cannot be used --------------------------------------------------------------------------------------

class Folder {
public:
    explicit Folder(std::filesystem::path path) : path_(std::move(path)) { std::filesystem::create_directories(path_); }

    // A file is complete or not there, also for somebody who reads meanwhile.
    void write(const std::string &name, std::span<const uint8_t> bytes) const {
        const std::filesystem::path part = path_ / (name + ".part");
        std::ofstream file(part, std::ios::binary);
        file.exceptions(std::ios::failbit | std::ios::badbit);
        file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        file.close();
        std::filesystem::rename(part, path_ / name);
    }

private:
    std::filesystem::path path_;
};

void write_damaged(const Folder &folder) {
    const std::vector<uint8_t> whole = chain().bytes();
    folder.write("truncated.gguf", std::span(whole).first(whole.size() / 2));
    folder.write("not_gguf.gguf", ByteWriter().put(std::string_view("<!DOCTYPE html><html></html>\n")).bytes());
    folder.write("malformed.gguf", chain().build().patch("key:general.name/type", uint32_t{77}).bytes);
    folder.write("unsupported.gguf", chain().set("general.architecture", "unheard-of").bytes());
    folder.write("no_norm.gguf", chain().remove_tensor("output_norm.weight").bytes());
    folder.write("no_vocabulary.gguf", chain().remove("tokenizer.ggml.tokens").bytes());
    const std::vector<float> no_numbers(width, std::numeric_limits<float>::quiet_NaN());
    folder.write("not_finite.gguf",
                 chain().reshape_tensor("output_norm.weight", {width}, type_f32, f32_bytes(no_numbers)).bytes());
}

}  // namespace

}  // namespace llm::test

int main(int argc, char **argv) try {
    using namespace llm::test;
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " FOLDER\n";
        return 2;
    }
    const Folder folder(argv[1]);
    folder.write("decoder.gguf", decoder().bytes());
    folder.write("chain.gguf", chain().bytes());
    folder.write("encoder.gguf", encoder().bytes());
    write_damaged(folder);
    return 0;
} catch (const std::exception &error) {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 1;
}
