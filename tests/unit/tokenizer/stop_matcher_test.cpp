// Stop texts are found wherever the stream is cut, and no part of them gets out.
#include "tokenizer/stop_matcher.h"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace llm::test {

namespace {

struct Result {
    std::string text;
    bool stopped;

    bool operator==(const Result &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Result &result) {
    return out << '"' << result.text << (result.stopped ? "\" stopped" : "\"");
}

Result streamed(const std::vector<std::string> &stops, const std::vector<std::string_view> &parts) {
    StopMatcher matcher(stops);
    std::string out;
    for (const std::string_view part : parts) out += matcher.push(part);
    if (!matcher.stopped()) out += matcher.finish();
    return {out, matcher.stopped()};
}

// By definition: the first place where a stop text ends, and of those that end there the longest.
Result expected(const std::vector<std::string> &stops, std::string_view text) {
    for (size_t end = 1; end <= text.size(); ++end) {
        size_t longest = 0;
        for (const std::string &stop : stops) {
            if (!stop.empty() && text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
        }
        if (longest > 0) return {std::string(text.substr(0, end - longest)), true};
    }
    return {std::string(text), false};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stop_text_cut_at_every_place) {
    const std::string text = "one\n\nUser: two";
    for (const std::string stop : {"\n\nUser:", "\n", "o", "two", "one"}) {
        for (size_t first = 0; first <= text.size(); ++first) {
            for (size_t second = first; second <= text.size(); ++second) {
                const std::string_view all = text;
                const auto found =
                    streamed({stop}, {all.substr(0, first), all.substr(first, second - first), all.substr(second)});
                BOOST_TEST(found == expected({stop}, text));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_stop_text_any_more_comes_out) {
    StopMatcher matcher({"</end>"});
    BOOST_TEST(matcher.push("a <") == "a ");
    BOOST_TEST(matcher.push("/e") == "");
    BOOST_TEST(matcher.push("m> <") == "</em> ");
    BOOST_TEST(matcher.push("</en") == "<");
    BOOST_TEST(!matcher.stopped());
    BOOST_TEST(matcher.push("d> and more") == "");
    BOOST_TEST(matcher.stopped());
    BOOST_TEST(matcher.push("more") == "");
}

BOOST_AUTO_TEST_CASE(the_end_of_the_stream_gives_what_was_held_back) {
    StopMatcher matcher({"STOP", "STOPPED"});
    BOOST_TEST(matcher.push("x STO") == "x ");
    BOOST_TEST(matcher.finish() == "STO");
    BOOST_TEST(!matcher.stopped());
}

BOOST_AUTO_TEST_CASE(stop_texts_that_cannot_match) {
    BOOST_TEST(streamed({""}, {"abc"}) == (Result{"abc", false}));
    BOOST_TEST(streamed({}, {"abc"}) == (Result{"abc", false}));
    // Half a character never ends a text of whole characters.
    BOOST_TEST(streamed({"\xA9"}, {"caf\xC3\xA9"}) == (Result{"caf\xC3\xA9", false}));
}

BOOST_AUTO_TEST_CASE(random_texts_over_a_small_alphabet) {
    std::mt19937 random(7);
    const auto word = [&](uint32_t most) {
        std::string out;
        for (uint32_t count = 1 + random() % most; count > 0; --count) out.push_back("ab"[random() % 2]);
        return out;
    };
    for (int round = 0; round < 5000; ++round) {
        std::vector<std::string> stops;
        for (uint32_t count = 1 + random() % 3; count > 0; --count) stops.push_back(word(6));
        const std::string text = word(20);
        std::vector<std::string_view> parts;
        for (std::string_view rest = text; !rest.empty();) {
            const size_t length = std::min<size_t>(random() % 4, rest.size());
            parts.push_back(rest.substr(0, length));
            rest.remove_prefix(length);
        }
        BOOST_TEST(streamed(stops, parts) == expected(stops, text));
    }
}

}  // namespace llm::test
