// The layout of whole files: versions, alignment, the tensor directory, and that only the header is read.
#include "gguf/gguf_file.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ctime>

using namespace llm;
using llm::test::GgufBuilder;
using llm::test::tiny_llama;

namespace {

GgufFile parse(const GgufBuilder &builder) { return GgufFile::parse(builder.bytes()); }

// A file that is `size` bytes long, of which only `head` exists. Remembers how far it was read.
class SparseSource final : public ByteSource {
public:
    SparseSource(std::vector<uint8_t> head, uint64_t size) : head_(std::move(head)), size_(size) {}

    uint64_t size() const override { return size_; }
    std::span<const uint8_t> bytes() const override {
        ++mappings;
        return head_;
    }
    void copy_to(uint64_t offset, std::span<uint8_t> out) const override {
        read_end = std::max(read_end, offset + out.size());
        for (size_t i = 0; i < out.size(); ++i) out[i] = offset + i < head_.size() ? head_[offset + i] : 0;
    }

    mutable uint64_t read_end = 0;
    mutable int mappings = 0;

private:
    std::vector<uint8_t> head_;
    uint64_t size_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_versions_hold_the_same) {
    for (const uint32_t version : {1u, 2u, 3u}) {
        GgufBuilder builder(version);
        builder.set("answer", uint16_t{42}).set("text", "hello").set_array<float>("floats", {1.0f, 2.5f});
        builder.set_strings("texts", {"a", "bc"});
        builder.add_tensor("m", {3, 2}, 0, std::vector<uint8_t>(24)).add_tensor("v", {4}, 24, {1, 2, 3, 4});
        const auto built = builder.build();
        const GgufFile file = GgufFile::parse(built.bytes);
        BOOST_TEST(file.version() == version);
        BOOST_TEST(file.file_size() == built.bytes.size());
        BOOST_TEST(file.get<uint32_t>("answer") == 42u);
        BOOST_TEST(file.get<std::string_view>("text") == "hello");
        BOOST_TEST((file.get_array<float>("floats") == std::vector<float>{1.0f, 2.5f}));
        BOOST_TEST(file.get_strings("texts")[1] == "bc");
        BOOST_TEST(file.data_offset() == built.places.at("data"));
        BOOST_REQUIRE(file.tensors().size() == 2u);
        BOOST_TEST(file.find_tensor("m")->dimensions[0] == 3u);
        BOOST_TEST(file.find_tensor("v")->offset == built.places.at("tensor:v/data"));
    }
}

BOOST_AUTO_TEST_CASE(the_smallest_file_has_nothing_in_it) {
    for (const uint32_t version : {1u, 2u, 3u}) {
        GgufBuilder builder(version);
        builder.align(1);  // ends right after the counts, before the data would start
        const GgufFile file = parse(builder);
        BOOST_TEST(file.file_size() == (version == 1 ? 16u : 24u));
        BOOST_TEST(file.keys().empty());
        BOOST_TEST(file.tensors().empty());
        BOOST_TEST(file.data_offset() == 32u);
        BOOST_TEST(!file.find_key(""));
        BOOST_TEST(!file.find_tensor("x"));
    }
}

BOOST_AUTO_TEST_CASE(tensors_are_described) {
    const auto built = tiny_llama().build();
    const GgufFile file = GgufFile::parse(built.bytes);
    BOOST_REQUIRE(file.tensors().size() == 12u);
    BOOST_TEST(file.tensors()[0].name == "token_embd.weight");

    const GgufTensor *gate = file.find_tensor("blk.0.ffn_gate.weight");
    BOOST_REQUIRE(gate);
    BOOST_TEST(gate->traits->name == "Q4_K");
    BOOST_TEST(gate->type_number == 12u);
    BOOST_TEST(gate->dimension_count == 2u);
    BOOST_TEST((gate->dimensions == std::array<uint64_t, 4>{256, 512, 1, 1}));
    BOOST_TEST(gate->element_count == 131072u);
    BOOST_TEST(gate->byte_count == 512u * 144u);
    for (const GgufTensor &tensor : file.tensors()) {
        BOOST_TEST(tensor.offset == built.places.at("tensor:" + tensor.name + "/data"));
        BOOST_TEST(file.find_tensor(tensor.name) == &tensor);
    }
    BOOST_TEST(!file.find_tensor("blk.0.ffn_gate"));
    BOOST_TEST(!file.find_tensor("blk.0.ffn_gate.weight2"));
}

BOOST_AUTO_TEST_CASE(types_without_traits_are_kept) {
    GgufBuilder builder;
    builder.add_tensor("withdrawn", {32}, 4, std::vector<uint8_t>(32)).add_tensor("unknown", {7}, 200, {});
    builder.add_tensor("known", {1}, 0, std::vector<uint8_t>(4));
    const GgufFile file = parse(builder);
    BOOST_TEST(!file.find_tensor("withdrawn")->traits);
    BOOST_TEST(file.find_tensor("unknown")->type_number == 200u);
    BOOST_TEST(file.find_tensor("unknown")->element_count == 7u);
    BOOST_TEST(file.find_tensor("unknown")->byte_count == 0u);
    BOOST_TEST(file.find_tensor("known")->byte_count == 4u);
}

BOOST_AUTO_TEST_CASE(the_alignment_key_is_obeyed) {
    for (const uint32_t alignment : {8u, 16u, 32u, 64u, 4096u, 1u << 20}) {
        GgufBuilder builder;
        builder.align(alignment).set("general.alignment", alignment);
        builder.add_tensor("a", {1}, 0, {1, 2, 3, 4}).add_tensor("b", {1}, 0, {5, 6, 7, 8});
        const auto built = builder.build();
        const GgufFile file = GgufFile::parse(built.bytes);
        BOOST_TEST(file.alignment() == alignment);
        BOOST_TEST(file.find_tensor("b")->offset == built.places.at("tensor:b/data"));
        BOOST_TEST(file.find_tensor("b")->offset % alignment == 0u);
    }
    BOOST_TEST(parse(GgufBuilder()).alignment() == 32u);
}

BOOST_AUTO_TEST_CASE(only_the_header_is_read_and_nothing_is_mapped) {
    const auto built = tiny_llama().build();
    const size_t header_end = built.places.at("data");
    const SparseSource source(std::vector<uint8_t>(built.bytes.begin(), built.bytes.begin() + header_end),
                              built.bytes.size());
    const GgufFile file = GgufFile::parse(source);
    BOOST_TEST(file.tensors().size() == 12u);
    BOOST_TEST(file.get<uint32_t>("llama.vocab_size") == 300u);
    BOOST_TEST(source.mappings == 0);
    BOOST_TEST(source.read_end <= 64u * 1024u);
}

BOOST_AUTO_TEST_CASE(a_header_beyond_the_limit_is_refused_unread) {
    GgufBuilder builder;
    builder.set("s", "x");
    auto built = builder.build();
    built.patch("key:s/value", uint64_t{1} << 31);
    const SparseSource source(built.bytes, uint64_t{1} << 40);
    BOOST_CHECK_EXCEPTION(GgufFile::parse(source), Error,
                          [](const Error &error) { return error.status() == LLM_ERROR_UNSUPPORTED; });
    BOOST_TEST(source.read_end <= 64u * 1024u);
}

BOOST_AUTO_TEST_CASE(large_vocabularies_are_read_quickly) {
    std::vector<std::string> tokens, merges;
    for (int i = 0; i < 256'000; ++i) {
        tokens.push_back("token" + std::to_string(i));
        merges.push_back("some " + std::to_string(i));
    }
    GgufBuilder builder;
    builder.set_strings("tokenizer.ggml.tokens", tokens).set_strings("tokenizer.ggml.merges", merges);
    builder.set_array("tokenizer.ggml.scores", std::vector<float>(tokens.size(), -1.0f));
    const auto bytes = builder.bytes();
    const std::clock_t start = std::clock();
    const GgufFile file = GgufFile::parse(bytes);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    BOOST_TEST(file.get_strings("tokenizer.ggml.tokens")[255'999] == "token255999");
    BOOST_TEST(file.get_strings("tokenizer.ggml.merges").size() == 256'000u);
    BOOST_TEST(seconds < 1.0);  // takes about 0.03; the rest is room for sanitizers
}
