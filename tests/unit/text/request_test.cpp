// Requests and templates that are wrong: the status, and that the text says where.
#include "unit/text/rendering.h"

#include <boost/test/unit_test.hpp>

namespace llm::test {

namespace {

void check(const Outcome &got, llm_status status, std::string_view part) {
    BOOST_TEST(got.status == status);
    BOOST_TEST(got.text.find(part) != std::string::npos, "'" << got.text << "' has no '" << part << "'");
    BOOST_TEST(got.text.find('\n') == std::string::npos);
}

}  // namespace

BOOST_AUTO_TEST_CASE(wrong_requests) {
    const auto request = [](std::string_view text, std::string_view part) {
        check(outcome("x", text), LLM_ERROR_ARGUMENT, part);
    };
    request("", "line 1");
    request("{\n\"messages\": [}", "line 2 column 14");
    request("[]", "not a JSON object");
    request("{}", "no 'messages'");
    request(R"({"messages": {}})", "'messages' is not an array");
    request(R"({"messages": [{}, 1]})", "messages[1] is not an object");
    request(R"({"messages": [], "variables": []})", "'variables' is not an object");
    request("{\"messages\": []} x", "column 18");
    request(R"({"messages": [{"content": "\ud800"}]})", "line 1");
    request("{\"messages\": [{\"content\": \"\xff\"}]}", "line 1");
    request(R"({"messages": [)" + std::string(100000, '['), "recursion limit");
    request(R"({"messages": [)" + std::string(100000, '[') + std::string(100000, ']') + "]}", "recursion limit");
}

BOOST_AUTO_TEST_CASE(wrong_templates) {
    const auto source = [](std::string_view text, std::string_view part) {
        check(outcome(text), LLM_ERROR_TEMPLATE, part);
    };
    source("a\nb\n{{ x", "line 3");
    source("\n{% unknown %}", "line 2");
    source("\n\n{% for x in y %}", "line 3");
    source("\n{{ 1 | nofilter }}", "line 2");
    source("\n\n{{ nofunction() }}", "line 3");
    source("{{ 'a' + 1 }}", "line 1");
    source("\n{{ raise_exception('roles must\\nalternate: ' ~ 7) }}",
           "line 2: the template refuses this conversation: roles must alternate: 7");
    source("{% macro m() %}\n{{ raise_exception('inner') }}{% endmacro %}{{ m() }}", "inner");
    source("{{ raise_exception('" + std::string(100000, 'x') + "') }}", "xxx...");
    source("\xff", "not UTF-8 at byte 0");
}

BOOST_AUTO_TEST_CASE(a_long_template_is_refused_and_a_quite_long_one_is_not) {
    BOOST_TEST(outcome(std::string(1 << 20, 'x')).status == LLM_OK);
    check(outcome(std::string((1 << 20) + 1, 'x')), LLM_ERROR_LIMIT, "the limit is 1048576");
}

BOOST_AUTO_TEST_CASE(text_without_a_template_language_is_itself) {
    BOOST_TEST(rendered("") == "");
    BOOST_TEST(rendered(std::string_view("a\0b", 3)) == std::string_view("a\0b", 3));
}

}  // namespace llm::test
