// Streams cut at every place give the text that they give at once.
#include "tokenizer/stream_decoder.h"

#include "base/utf8.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace llm::test {

namespace {

const std::string bad(replacement_character_utf8);

struct Case {
    std::string bytes;
    std::string text;
};

// The first four are the examples of the Unicode standard, tables 3-8 to 3-11 of version 15.
const std::vector<Case> cases = {
    {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", bad + bad + bad + bad + bad + bad + bad + bad + "A"},
    {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", bad + bad + bad + bad + bad + bad + bad + bad + "A"},
    {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", bad + bad + bad + bad + bad + "A" + bad + bad + "B"},
    {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", bad + bad + bad + bad + "A"},
    {"", ""},
    {"plain", "plain"},
    {"h\xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x98\x80!", "h\xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x98\x80!"},
    {"cut \xF0\x9F\x98", "cut " + bad},
    {"cut \xE4", "cut " + bad},
    {"\xF0\x9F\x98\xF0\x9F\x98\x80", bad + "\xF0\x9F\x98\x80"},
    {std::string("a\0b", 3), std::string("a\0b", 3)},
};

std::string streamed(const std::vector<std::string_view> &parts) {
    StreamDecoder decoder;
    std::string out;
    for (const std::string_view part : parts) {
        const std::string text = decoder.push(part);
        BOOST_TEST(well_formed_utf8_prefix(text) == text.size());
        out += text;
    }
    return out + decoder.finish();
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_way_to_cut_in_three_gives_the_same) {
    for (const Case &item : cases) {
        const std::string_view bytes = item.bytes;
        for (size_t first = 0; first <= bytes.size(); ++first) {
            for (size_t second = first; second <= bytes.size(); ++second) {
                const auto middle = bytes.substr(first, second - first);
                BOOST_TEST(streamed({bytes.substr(0, first), middle, bytes.substr(second)}) == item.text);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(byte_by_byte_holds_back_at_most_three) {
    for (const Case &item : cases) {
        StreamDecoder decoder;
        std::string out;
        size_t taken = 0;
        for (const char byte : item.bytes) {
            out += decoder.push({&byte, 1});
            ++taken;
            // What is out is the beginning of the text, and decoding the rest at once gives the rest.
            BOOST_TEST(item.text.starts_with(out));
            size_t given = 0;  // bytes that the text so far stands for
            for (std::string_view rest = item.bytes; given < taken;) {
                const Utf8Character next = decode_utf8(rest.substr(given));
                if (given + next.length > taken) break;
                given += next.length;
            }
            BOOST_TEST(taken - given <= 3u);
        }
        BOOST_TEST(out + decoder.finish() == item.text);
    }
}

BOOST_AUTO_TEST_CASE(complete_characters_are_not_held_back) {
    StreamDecoder decoder;
    BOOST_TEST(decoder.push("a\xC3\xA9") == "a\xC3\xA9");
    BOOST_TEST(decoder.push("\xF0\x9F") == "");
    BOOST_TEST(decoder.push("\x98") == "");
    BOOST_TEST(decoder.push("\x80z") == "\xF0\x9F\x98\x80z");
    BOOST_TEST(decoder.finish() == "");
}

BOOST_AUTO_TEST_CASE(a_finished_decoder_starts_afresh) {
    StreamDecoder decoder;
    BOOST_TEST(decoder.push("\xE4\xBD") == "");
    BOOST_TEST(decoder.finish() == bad);
    BOOST_TEST(decoder.push("\xA0") == bad);
    BOOST_TEST(decoder.finish() == "");
}

BOOST_AUTO_TEST_CASE(random_bytes_cut_at_random) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes;
        for (uint32_t count = random() % 24; count > 0; --count) {
            constexpr std::string_view interesting = "a\x80\xBF\xC2\xE0\xA0\xED\x9F\xF0\x90\xF4\x8F\xFF\xE2\x82\xAC";
            bytes.push_back(interesting[random() % interesting.size()]);
        }
        std::vector<std::string_view> parts;
        for (std::string_view rest = bytes; !rest.empty();) {
            const size_t length = std::min<size_t>(random() % 5, rest.size());
            parts.push_back(rest.substr(0, length));
            rest.remove_prefix(length);
        }
        BOOST_TEST(streamed(parts) == streamed({bytes}));
    }
}

}  // namespace llm::test
