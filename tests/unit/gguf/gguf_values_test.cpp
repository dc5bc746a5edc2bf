// Reading metadata: every value type, the typed getters, and what they refuse.
#include "gguf/gguf_file.h"
#include "support/gguf_builder.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

using namespace llm;
using llm::test::ByteWriter;
using llm::test::GgufBuilder;

namespace {

GgufFile parse(const GgufBuilder &builder) { return GgufFile::parse(builder.bytes()); }

// Expects `call` to fail with this status and exactly this text.
template <class Call>
void check_fails(Call call, llm_status status, const std::string &text) {
    try {
        call();
        BOOST_ERROR("no failure, expected: " << text);
    } catch (const Error &error) {
        BOOST_TEST(error.status() == status);
        BOOST_TEST(std::string(error.what()) == text);
    }
}

GgufBuilder every_type() {
    GgufBuilder builder;
    builder.set("u8", uint8_t{255})
        .set("i8", int8_t{-128})
        .set("u16", uint16_t{65535})
        .set("i16", int16_t{-32768})
        .set("u32", uint32_t{4294967295u})
        .set("i32", std::numeric_limits<int32_t>::min())
        .set("f32", 1.5f)
        .set("bool", true)
        .set("string", std::string_view("a\0b", 3))
        .set_array<uint16_t>("array", {1, 2, 3})
        .set("u64", std::numeric_limits<uint64_t>::max())
        .set("i64", std::numeric_limits<int64_t>::min())
        .set("f64", -0.1);
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_value_type_is_read) {
    const GgufFile file = parse(every_type());
    BOOST_REQUIRE(file.keys().size() == 13u);
    BOOST_TEST(file.value("u8").u == 255u);
    BOOST_TEST(file.value("i8").i == -128);
    BOOST_TEST(file.value("u16").u == 65535u);
    BOOST_TEST(file.value("i16").i == -32768);
    BOOST_TEST(file.value("u32").u == 4294967295u);
    BOOST_TEST(file.value("i32").i == -2147483648LL);
    BOOST_TEST(file.value("f32").f == 1.5);
    BOOST_TEST(file.value("bool").u == 1u);
    BOOST_TEST((file.value("string").text == std::string_view("a\0b", 3)));
    BOOST_TEST(file.value("array").count == 3u);
    BOOST_TEST((file.value("array").element_type == ValueType::u16));
    BOOST_TEST(file.value("u64").u == 18446744073709551615u);
    BOOST_TEST((file.value("i64").i == std::numeric_limits<int64_t>::min()));
    BOOST_TEST(file.value("f64").f == -0.1);
    for (uint32_t i = 0; i < 13; ++i) {  // the builder's order above is that of the numbers
        BOOST_TEST(static_cast<uint32_t>(file.keys()[i].type) == i);
        BOOST_TEST((file.value(file.keys()[i].name).type == file.keys()[i].type));
    }
}

BOOST_AUTO_TEST_CASE(integers_are_taken_from_any_width_that_fits) {
    GgufBuilder builder;
    builder.set("u8", uint8_t{32})
        .set("i8", int8_t{32})
        .set("u16", uint16_t{32})
        .set("i16", int16_t{32})
        .set("u32", uint32_t{32})
        .set("i32", int32_t{32})
        .set("u64", uint64_t{32})
        .set("i64", int64_t{32});
    const GgufFile file = parse(builder);
    for (const GgufKey &key : file.keys()) {
        BOOST_TEST(file.get<uint32_t>(key.name) == 32u);
        BOOST_TEST(file.get<int32_t>(key.name) == 32);
        BOOST_TEST(file.get<uint64_t>(key.name) == 32u);
        BOOST_TEST(file.get<int64_t>(key.name) == 32);
    }
}

BOOST_AUTO_TEST_CASE(values_that_do_not_fit_are_refused) {
    GgufBuilder builder;
    builder.set("negative", int32_t{-1})
        .set("large", uint64_t{1} << 40)
        .set("largest", std::numeric_limits<uint64_t>::max())
        .set("smallest", std::numeric_limits<int64_t>::min())
        .set("wide", 1e300)
        .set("infinite", std::numeric_limits<double>::infinity())
        .set("nan", std::numeric_limits<double>::quiet_NaN());
    const GgufFile file = parse(builder);
    check_fails([&] { file.get<uint32_t>("negative"); }, LLM_ERROR_MODEL,
                "key 'negative' is -1, outside the range 0 to 4294967295");
    check_fails([&] { file.get<uint32_t>("large"); }, LLM_ERROR_MODEL,
                "key 'large' is 1099511627776, outside the range 0 to 4294967295");
    check_fails([&] { file.get<int64_t>("largest"); }, LLM_ERROR_MODEL,
                "key 'largest' is 18446744073709551615, outside the range -9223372036854775808 to "
                "9223372036854775807");
    check_fails([&] { file.find<uint64_t>("smallest"); }, LLM_ERROR_MODEL,
                "key 'smallest' is -9223372036854775808, outside the range 0 to 18446744073709551615");
    check_fails([&] { file.get<float>("wide"); }, LLM_ERROR_MODEL,
                "key 'wide' is 1e+300, outside the range -3.40282347e+38 to 3.40282347e+38");
    BOOST_TEST(file.get<int32_t>("negative") == -1);
    BOOST_TEST(std::isinf(file.get<float>("infinite")));
    BOOST_TEST(std::isnan(file.get<float>("nan")));
}

BOOST_AUTO_TEST_CASE(nothing_else_is_converted) {
    const GgufFile file = parse(every_type().set("tokenizer.ggml.model", uint32_t{1}));
    check_fails([&] { file.get<uint32_t>("f32"); }, LLM_ERROR_MODEL, "key 'f32' has type f32, integer is wanted");
    check_fails([&] { file.get<uint32_t>("string"); }, LLM_ERROR_MODEL,
                "key 'string' has type string, integer is wanted");
    check_fails([&] { file.get<uint32_t>("bool"); }, LLM_ERROR_MODEL, "key 'bool' has type bool, integer is wanted");
    check_fails([&] { file.get<uint32_t>("array"); }, LLM_ERROR_MODEL,
                "key 'array' has type array of u16, integer is wanted");
    check_fails([&] { file.get<float>("u32"); }, LLM_ERROR_MODEL, "key 'u32' has type u32, float is wanted");
    check_fails([&] { file.get<bool>("u8"); }, LLM_ERROR_MODEL, "key 'u8' has type u8, bool is wanted");
    check_fails([&] { file.find<std::string_view>("i64"); }, LLM_ERROR_MODEL,
                "key 'i64' has type i64, string is wanted");
    check_fails([&] { file.get<std::string_view>("tokenizer.ggml.model"); }, LLM_ERROR_VOCABULARY,
                "key 'tokenizer.ggml.model' has type u32, string is wanted");
}

BOOST_AUTO_TEST_CASE(missing_keys_are_optional_or_named) {
    const GgufFile file = parse(every_type());
    BOOST_TEST(!file.find_key("llama.block_count"));
    BOOST_TEST(!file.find<uint32_t>("llama.block_count"));
    BOOST_TEST(!file.find_array<float>("x"));
    BOOST_TEST(!file.find_strings("x"));
    BOOST_TEST(!file.find_bytes("x"));
    check_fails([&] { file.get<uint32_t>("llama.block_count"); }, LLM_ERROR_MODEL,
                "key 'llama.block_count' is missing");
    check_fails([&] { file.get_array<float>("x"); }, LLM_ERROR_MODEL, "key 'x' is missing");
    check_fails([&] { file.get_strings("tokenizer.ggml.tokens"); }, LLM_ERROR_VOCABULARY,
                "key 'tokenizer.ggml.tokens' is missing");
    check_fails([&] { file.value("x"); }, LLM_ERROR_NOT_FOUND, "the file has no key 'x'");
}

BOOST_AUTO_TEST_CASE(arrays_of_numbers_are_converted) {
    GgufBuilder builder;
    builder.set_array<int8_t>("i8", {-1, 2})
        .set_array<uint64_t>("u64", {7, uint64_t{1} << 40})
        .set_array<double>("f64", {0.5, -2.0})
        .set_array<float>("empty", {})
        .set_strings("texts", {"a"});
    builder.set_array_raw("bools", 7, 3, {1, 0, 1});
    const GgufFile file = parse(builder);
    BOOST_TEST((file.get_array<int32_t>("i8") == std::vector<int32_t>{-1, 2}));
    BOOST_TEST((file.get_array<uint64_t>("u64") == std::vector<uint64_t>{7, uint64_t{1} << 40}));
    BOOST_TEST((file.get_array<float>("f64") == std::vector<float>{0.5f, -2.0f}));
    BOOST_TEST((file.get_array<bool>("bools") == std::vector<bool>{true, false, true}));
    BOOST_TEST(file.get_array<int32_t>("empty").empty());
    check_fails([&] { file.get_array<uint32_t>("i8"); }, LLM_ERROR_MODEL,
                "element 0 of key 'i8' is -1, outside the range 0 to 4294967295");
    check_fails([&] { file.get_array<int32_t>("u64"); }, LLM_ERROR_MODEL,
                "element 1 of key 'u64' is 1099511627776, outside the range -2147483648 to 2147483647");
    check_fails([&] { file.get_array<int32_t>("f64"); }, LLM_ERROR_MODEL,
                "element 0 of key 'f64' has type f64, integer is wanted");
    check_fails([&] { file.get_array<float>("texts"); }, LLM_ERROR_MODEL,
                "key 'texts' has type array of string, array of float is wanted");
    check_fails([&] { parse(GgufBuilder().set("x", 1.0f)).get_array<float>("x"); }, LLM_ERROR_MODEL,
                "key 'x' has type f32, array of float is wanted");
}

BOOST_AUTO_TEST_CASE(arrays_of_strings_and_bytes_are_views) {
    for (const uint32_t version : {1u, 2u, 3u}) {
        GgufBuilder builder(version);
        builder.set_strings("texts", {"", "first", std::string("\0\xff", 2), "", "last"})
            .set_strings("none", {})
            .set_array<uint8_t>("bytes", {1, 2, 255})
            .set_array<int8_t>("signed", {-1})
            .set_array<uint32_t>("words", {1});
        GgufFile first = parse(builder);
        const GgufFile file = std::move(first);  // views come from what moves along
        const GgufStrings texts = file.get_strings("texts");
        BOOST_REQUIRE(texts.size() == 5u);
        BOOST_TEST(texts[0] == "");
        BOOST_TEST(texts[1] == "first");
        BOOST_TEST((texts[2] == std::string_view("\0\xff", 2)));
        BOOST_TEST(texts[4] == "last");
        BOOST_TEST(file.get_strings("none").size() == 0u);
        BOOST_TEST(file.find_bytes("bytes")->size() == 3u);
        BOOST_TEST((*file.find_bytes("bytes"))[2] == 255);
        BOOST_TEST((*file.find_bytes("signed"))[0] == 255);
        check_fails([&] { file.find_bytes("words"); }, LLM_ERROR_MODEL,
                    "key 'words' has type array of u32, array of u8 is wanted");
        check_fails([&] { file.get_strings("bytes"); }, LLM_ERROR_MODEL,
                    "key 'bytes' has type array of u8, array of string is wanted");
    }
}

BOOST_AUTO_TEST_CASE(elements_are_reached_by_one_index_for_each_level) {
    // [["a", "bc"], [], [[7, 8], [9]]]: the format lets the elements of arrays differ in type.
    ByteWriter payload;
    payload.put(uint32_t{8}).put(uint64_t{2}).put(uint64_t{1}).put("a").put(uint64_t{2}).put("bc");
    payload.put(uint32_t{4}).put(uint64_t{0});
    payload.put(uint32_t{9}).put(uint64_t{2});
    payload.put(uint32_t{0}).put(uint64_t{2}).put(uint8_t{7}).put(uint8_t{8});
    payload.put(uint32_t{5}).put(uint64_t{1}).put(int32_t{9});
    GgufBuilder builder;
    builder.set_array_raw("nested", 9, 3, payload.bytes()).set_array<int16_t>("flat", {5, -6}).set("plain", 1.0f);
    builder.set_strings("texts", {"x", "yz"});
    const GgufFile file = parse(builder);
    const auto at = [&](const char *key, std::vector<uint64_t> indexes) { return file.element(key, indexes); };

    BOOST_TEST(at("nested", {0, 0}).text == "a");
    BOOST_TEST(at("nested", {0, 1}).text == "bc");
    BOOST_TEST(at("nested", {1}).count == 0u);
    BOOST_TEST((at("nested", {2}).element_type == ValueType::array));
    BOOST_TEST(at("nested", {2, 0, 1}).u == 8u);
    BOOST_TEST(at("nested", {2, 1, 0}).i == 9);
    BOOST_TEST(at("nested", {}).count == 3u);
    BOOST_TEST(at("flat", {1}).i == -6);
    BOOST_TEST(at("texts", {1}).text == "yz");
    BOOST_TEST(at("plain", {}).f == 1.0);

    check_fails([&] { at("nested", {3}); }, LLM_ERROR_NOT_FOUND,
                "element 3 of key 'nested' does not exist: there are 3");
    check_fails(
        [&] {
            at("nested", {1, 0});
        },
        LLM_ERROR_NOT_FOUND, "element 0 of key 'nested' does not exist: there are 0");
    check_fails([&] { at("flat", {std::numeric_limits<uint64_t>::max()}); }, LLM_ERROR_NOT_FOUND,
                "element 18446744073709551615 of key 'flat' does not exist: there are 2");
    check_fails(
        [&] {
            at("flat", {0, 0});
        },
        LLM_ERROR_ARGUMENT, "key 'flat' has 1 levels of arrays, 2 indexes were given");
    check_fails([&] { at("plain", {0}); }, LLM_ERROR_ARGUMENT,
                "key 'plain' has 0 levels of arrays, 1 indexes were given");
    check_fails([&] { at("absent", {0}); }, LLM_ERROR_NOT_FOUND, "the file has no key 'absent'");
}
