// Damage in keys and values: G14 to G31, as far as no knowledge of models is needed.
#include "fault/fault.h"
#include "gguf/gguf_file.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace llm;
using namespace llm::test;

namespace {

constexpr uint64_t two_to_63 = uint64_t{1} << 63;
constexpr uint32_t f32_number = 6, bool_number = 7;

// One key of each kind that the cases need.
GgufBuilder small_file() {
    GgufBuilder builder;
    builder.set("general.name", "model").set("flag", true).set("count", uint32_t{7});
    builder.set_array<uint32_t>("numbers", {1, 2, 3}).set_strings("texts", {"one", "two"});
    builder.set_array_raw("flags", bool_number, 3, {0, 1, 0});
    return builder;
}

template <class T>
std::vector<uint8_t> patched(const std::string &place, T value, size_t shift = 0) {
    return small_file().build().patch(place, value, shift).bytes;
}

// `depth` arrays, each the only element of the one before; the innermost is an empty one of u8.
std::vector<uint8_t> nested(size_t depth) {
    ByteWriter payload;
    for (size_t i = 2; i < depth; ++i) payload.put(array_type_number).put(uint64_t{1});
    payload.put(uint32_t{0}).put(uint64_t{0});
    GgufBuilder builder;
    builder.set_array_raw("deep", array_type_number, 1, payload.bytes());
    return builder.bytes();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_unchanged_file_loads) { check_loads(small_file().bytes()); }

BOOST_AUTO_TEST_CASE(g14_g15_key_lengths) {
    check_refused(GgufBuilder().set("", uint32_t{1}).bytes(), LLM_ERROR_MALFORMED, "empty key at offset 24");
    check_loads(GgufBuilder().set(std::string(65535, 'k'), uint32_t{1}).bytes());
    check_refused(GgufBuilder().set(std::string(65536, 'k'), uint32_t{1}).bytes(), LLM_ERROR_MALFORMED,
                  "key at offset 24 has 65536 bytes, at most 65535");
    for (const uint64_t length : {uint64_t{1} << 32, two_to_63, ~uint64_t{0}}) {
        check_refused(patched("key:general.name/length", length), LLM_ERROR_MALFORMED,
                      "has " + std::to_string(length) + " bytes, at most 65535");
    }
    const uint64_t left = small_file().bytes().size() - 32;  // the first key's length ends at 32
    check_refused(patched("key:general.name/length", left + 1), LLM_ERROR_TRUNCATED, "key at offset 32");
    check_refused(patched("key:general.name/length", left), LLM_ERROR_MALFORMED, "is not printable");
}

BOOST_AUTO_TEST_CASE(g16_key_bytes) {
    const auto with_key = [](std::string key) { return GgufBuilder().set(key, uint32_t{1}).bytes(); };
    check_refused(with_key("caf\xc3\xa9"), LLM_ERROR_MALFORMED, "'caf\\xc3\\xa9'");
    check_refused(with_key(std::string("a\0b", 3)), LLM_ERROR_MALFORMED, "'a\\x00b'");
    check_refused(with_key("a\nb"), LLM_ERROR_MALFORMED, "'a\\x0ab'");
    check_refused(with_key("\x1b[31m"), LLM_ERROR_MALFORMED, "'\\x1b[31m'");
    check_loads(with_key("Some-Key_1.of any (printable) 'kind'"));
}

BOOST_AUTO_TEST_CASE(g17_duplicate_keys) {
    check_refused(small_file().duplicate_key("count").bytes(), LLM_ERROR_MALFORMED, "duplicate key 'count'");
    auto built = GgufBuilder().set("twin1", 1.0f).set("middle", true).set("twin2", "text").build();
    check_loads(built.bytes);
    check_refused(built.patch("key:twin2/name", uint8_t{'1'}, 4).bytes, LLM_ERROR_MALFORMED, "duplicate key 'twin1'");
}

BOOST_AUTO_TEST_CASE(g18_value_types) {
    for (const uint32_t type : {13u, 255u, 0x80000000u, 0xffffffffu}) {
        check_refused(patched("key:count/type", type), LLM_ERROR_MALFORMED,
                      "value type of 'count' at offset " +
                          std::to_string(small_file().build().places.at("key:count/type")) + " is " +
                          std::to_string(type));
    }
    check_loads(patched("key:count/type", f32_number));
}

BOOST_AUTO_TEST_CASE(g19_bools) {
    check_refused(patched("key:flag/value", uint8_t{2}), LLM_ERROR_MALFORMED, "bool of key 'flag'");
    check_refused(patched("key:flag/value", uint8_t{255}), LLM_ERROR_MALFORMED, "is 255, neither 0 nor 1");
    check_refused(patched("key:flags/elements", uint8_t{2}, 2), LLM_ERROR_MALFORMED, "bool of key 'flags'");
    check_loads(patched("key:flag/value", uint8_t{0}));
}

BOOST_AUTO_TEST_CASE(g20_string_lengths) {
    for (const uint64_t length : {~uint64_t{0}, two_to_63, two_to_63 - 1}) {
        check_refused(patched("key:general.name/value", length), LLM_ERROR_MALFORMED,
                      "string of 'general.name' at offset 48 has a length of " + std::to_string(length));
    }
    const uint64_t left = small_file().bytes().size() - 56;  // its bytes start at 56
    check_refused(patched("key:general.name/value", left + 1), LLM_ERROR_TRUNCATED,
                  "string of 'general.name' at offset 56 needs " + std::to_string(left + 1));
    check_refused(patched("key:general.name/value", uint64_t{1} << 30), LLM_ERROR_TRUNCATED, "1073741824 bytes");
    const auto version_1 = GgufBuilder(1).set("s", "x").build().patch("key:s/value", uint32_t{0xffffffff}).bytes;
    check_refused(version_1, LLM_ERROR_TRUNCATED, "needs 4294967295 bytes");
}

BOOST_AUTO_TEST_CASE(g21_string_bytes) {
    for (const std::string &name : {std::string("\xff\xfe\xc0"), std::string("a\0b", 3), std::string(1 << 20, 'x')}) {
        const auto bytes = GgufBuilder().set("general.name", name).bytes();
        check_loads(bytes);
        BOOST_TEST((GgufFile::parse(bytes).get<std::string_view>("general.name") == name));
    }
}

BOOST_AUTO_TEST_CASE(g22_element_types) {
    check_refused(patched("key:numbers/value", uint32_t{13}), LLM_ERROR_MALFORMED, "element type of 'numbers'");
    check_refused(patched("key:numbers/value", 0xffffffffu), LLM_ERROR_MALFORMED, "is 4294967295");
    for (const size_t depth : {2, 3, 4}) check_loads(nested(depth));
    for (const size_t depth : {5, 6, 100'000}) {
        check_refused(nested(depth), LLM_ERROR_UNSUPPORTED, "nests arrays more than 4 deep");
    }
}

BOOST_AUTO_TEST_CASE(g23_array_counts) {
    for (const uint64_t count : {~uint64_t{0}, two_to_63, uint64_t{1} << 62, uint64_t{1} << 61, uint64_t{1} << 47}) {
        check_refused(patched("key:numbers/count", count), LLM_ERROR_MALFORMED,
                      "is " + std::to_string(count) + ", more than any file can hold");
    }
    const auto built = small_file().build();
    const uint64_t most = (built.bytes.size() - built.places.at("key:numbers/elements")) / 4;
    check_refused(patched("key:numbers/count", most + 1), LLM_ERROR_TRUNCATED,
                  "array length of 'numbers' at offset " + std::to_string(built.places.at("key:numbers/count")) +
                      " is " + std::to_string(most + 1));
    BOOST_TEST(check_survives(patched("key:numbers/count", most)) != LLM_OK);
}

BOOST_AUTO_TEST_CASE(g24_arrays_of_strings) {
    check_refused(patched("key:texts/elements", ~uint64_t{0}, 11), LLM_ERROR_MALFORMED, "string 1 of 'texts'");
    check_refused(patched("key:texts/elements", uint64_t{5000}, 11), LLM_ERROR_TRUNCATED, "string 1 of 'texts'");
    check_refused(patched("key:texts/count", uint64_t{1} << 40), LLM_ERROR_TRUNCATED, "is 1099511627776");
    check_refused(patched("key:texts/count", uint64_t{1} << 46), LLM_ERROR_MALFORMED, "is 70368744177664");
}

BOOST_AUTO_TEST_CASE(g25_empty_arrays) {
    GgufBuilder builder;
    builder.set_strings("tokens", {}).set_array<float>("scores", {}).set_array_raw("nested", array_type_number, 0, {});
    check_loads(builder.bytes());
}

BOOST_AUTO_TEST_CASE(g63_many_empty_strings) {
    GgufBuilder builder;
    builder.set_array_raw("texts", string_type_number, 2'000'000, std::vector<uint8_t>(16'000'000));
    const auto bytes = builder.bytes();
    BOOST_TEST(GgufFile::parse(bytes).get_strings("texts").size() == 2'000'000u);
}

BOOST_AUTO_TEST_CASE(g31_alignment) {
    const auto with = [](auto value) {
        return GgufBuilder().set("general.alignment", value).add_tensor("t", {1}, 0, {0, 0, 0, 0}).bytes();
    };
    for (const uint32_t value : {0u, 1u, 3u, 4u, 12u, 24u, 1u << 21, 1u << 30, 1u << 31, 0xffffffffu}) {
        check_refused(with(value), LLM_ERROR_MALFORMED,
                      "key 'general.alignment' is " + std::to_string(value) + ", a power of two from 8 to 1048576");
    }
    check_refused(with(int32_t{-32}), LLM_ERROR_MALFORMED, "is -32");
    check_refused(with(two_to_63), LLM_ERROR_MALFORMED, "is 9223372036854775808");
    check_refused(with("32"), LLM_ERROR_MALFORMED, "is of type string");
    check_refused(with(32.0f), LLM_ERROR_MALFORMED, "is of type f32");
    check_refused(with(true), LLM_ERROR_MALFORMED, "is of type bool");
    check_refused(GgufBuilder().set_array<uint32_t>("general.alignment", {32}).bytes(), LLM_ERROR_MALFORMED,
                  "is of type array");
    for (const uint32_t value : {8u, 16u, 32u}) check_loads(with(value));
    check_loads(with(uint8_t{32}));
    check_loads(with(int8_t{32}));
    check_loads(with(uint16_t{32}));
    check_loads(with(int16_t{32}));
    check_loads(with(int32_t{32}));
    check_loads(with(uint64_t{32}));
    check_loads(with(int64_t{32}));
}
