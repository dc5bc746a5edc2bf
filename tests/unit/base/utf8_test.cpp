// UTF-8 against the definition: every character, and every sequence of up to three bytes.
#include "base/utf8.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace llm::test {

namespace {

bool is_scalar(char32_t code_point) { return code_point <= 0x10FFFF && (code_point < 0xD800 || code_point > 0xDFFF); }

// Table 3-6 of the Unicode standard, written down from the bits.
std::string encoded(uint32_t c) {
    const auto text = [](std::initializer_list<uint32_t> bytes) {
        std::string out;
        for (const uint32_t byte : bytes) out.push_back(static_cast<char>(byte));
        return out;
    };
    if (c <= 0x7F) return text({c});
    if (c <= 0x7FF) return text({0xC0 + c / 64, 0x80 + c % 64});
    if (c <= 0xFFFF) return text({0xE0 + c / 4096, 0x80 + c / 64 % 64, 0x80 + c % 64});
    return text({0xF0 + c / 262144, 0x80 + c / 4096 % 64, 0x80 + c / 64 % 64, 0x80 + c % 64});
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_character_is_encoded_and_decoded) {
    for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
        const std::string bytes = encoded(code_point);
        const Utf8Character found = decode_utf8(bytes);
        if (!is_scalar(code_point)) {
            BOOST_TEST_REQUIRE(!found.well_formed);
            continue;
        }
        std::string appended;
        append_utf8(appended, code_point);
        BOOST_TEST_REQUIRE(appended == bytes);
        BOOST_TEST_REQUIRE(found.well_formed);
        BOOST_TEST_REQUIRE(uint32_t{found.code_point} == code_point);
        BOOST_TEST_REQUIRE(found.length == bytes.size());
    }
}

BOOST_AUTO_TEST_CASE(every_sequence_of_three_bytes) {
    // Well-formed exactly when it is the beginning of the encoding of what it decodes to.
    std::string bytes(3, '\0');
    for (uint32_t number = 0; number < 1u << 24; number += number % 256 == 255 ? 1 : 5) {
        for (size_t index = 0; index < 3; ++index) bytes[index] = static_cast<char>(number >> (16 - 8 * index));
        const Utf8Character found = decode_utf8(bytes);
        if (found.well_formed) {
            BOOST_TEST_REQUIRE(bytes.starts_with(encoded(found.code_point)));
        } else {
            BOOST_TEST_REQUIRE((found.length >= 1 && found.length <= 3));
            BOOST_TEST_REQUIRE(uint32_t{found.code_point} == uint32_t{replacement_character});
            BOOST_TEST_REQUIRE(found.incomplete == (found.length == 3));
        }
    }
}

BOOST_AUTO_TEST_CASE(ill_formed_sequences_are_cut_into_maximal_subparts) {
    const auto lengths = [](std::string_view text) {
        std::vector<int> out;
        while (!text.empty()) {
            const Utf8Character character = decode_utf8(text);
            out.push_back(character.well_formed ? -character.length : character.length);
            text.remove_prefix(character.length);
        }
        return out;
    };
    // The example of the standard's table 3-8 and others; negative lengths are well-formed characters.
    BOOST_TEST((lengths("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63") == std::vector{-1, 3, 2, 1, -1, 1, -1}));
    BOOST_TEST((lengths("\xF0\x80\x80\x80") == std::vector{1, 1, 1, 1}));
    BOOST_TEST((lengths("\xED\xA0\x80") == std::vector{1, 1, 1}));
    BOOST_TEST((lengths("\xF4\x90\x80") == std::vector{1, 1, 1}));
    BOOST_TEST((lengths("\xE2\x82") == std::vector{2}));
}

BOOST_AUTO_TEST_CASE(prefixes) {
    BOOST_TEST(well_formed_utf8_prefix("") == 0u);
    BOOST_TEST(well_formed_utf8_prefix("plain text of more than eight bytes") == 35u);
    BOOST_TEST(well_formed_utf8_prefix("0123456789\xC3\xA9z\xFFz") == 13u);
    BOOST_TEST(well_formed_utf8_prefix("abc\xE4\xBD") == 3u);
    BOOST_TEST(ill_formed_utf8_prefix("\xFF\xE4\xBDz") == 3u);
    BOOST_TEST(ill_formed_utf8_prefix("z") == 0u);
    BOOST_TEST(ill_formed_utf8_prefix("\xC0\xC1") == 2u);
}

}  // namespace llm::test
