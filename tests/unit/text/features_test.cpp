// Templates render as Jinja2 renders them: features.json holds what it makes of them (make_features.py).
#include "unit/text/rendering.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <fstream>

using nlohmann::ordered_json;

namespace llm::test {

BOOST_AUTO_TEST_CASE(templates_render_as_in_jinja2) {
    std::ifstream file(LLM_SOURCE_DIR "/tests/unit/text/features.json");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const ordered_json features = ordered_json::parse(text);
    // The variables as they are written, because a second writer would change the large number.
    const size_t begin = text.find('{', text.find("\"variables\""));
    const size_t end = text.find("\"features\"");
    std::string request = text.substr(begin, text.rfind(',', end) - begin);
    for (const ordered_json &feature : features["features"]) {
        const auto source = feature["template"].get<std::string>();
        BOOST_TEST_CONTEXT(source) {
            const Outcome got = outcome(source, request);
            if (feature["text"].is_null()) {
                BOOST_TEST(got.status == LLM_ERROR_TEMPLATE, got.text);
            } else {
                BOOST_TEST(got.text == feature["text"].get<std::string>());
            }
        }
    }
    BOOST_TEST(features["features"].size() > 300u);
}

BOOST_AUTO_TEST_CASE(line_ends_of_other_systems_are_line_ends) {
    BOOST_TEST(rendered("a\r\n{% if true %}\r\nb\r{% endif %}\r\nc\r\n") == "a\nb\nc");
}

BOOST_AUTO_TEST_CASE(special_tokens_are_variables_and_a_request_may_replace_them) {
    BOOST_TEST(rendered("{{ bos_token }}{{ eos_token }}") == "<s></s>");
    BOOST_TEST(rendered("{{ bos_token }}", R"({"messages": [], "bos_token": "B"})") == "B");
    BOOST_TEST(rendered("{{ bos_token }}", R"({"messages": [], "variables": {"bos_token": "B"}})") == "B");
}

BOOST_AUTO_TEST_CASE(variables_that_are_always_there) {
    BOOST_TEST(rendered("{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}") == "TrueTrueTrue");
}

BOOST_AUTO_TEST_CASE(the_clock_is_the_callers) {
    ChatTemplateInput input;
    input.template_text = "{{ strftime_now('%Y-%m-%d %H:%M:%S %a') }}";
    input.request = R"({"messages": []})";
    input.now = noon + 11 * 3600;
    input.utc_offset = 2 * 3600;
    BOOST_TEST(render_chat_template(input, nullptr).text == "2026-07-27 01:00:00 Mon");
    input.now = -1;
    input.utc_offset = 0;
    BOOST_TEST(render_chat_template(input, nullptr).text == "1969-12-31 23:59:59 Wed");
    input.now = 951782400;  // a leap day of a year that 100 divides
    BOOST_TEST(render_chat_template(input, nullptr).text == "2000-02-29 00:00:00 Tue");
    for (const int64_t extreme : {INT64_MIN, INT64_MAX}) {
        input.now = extreme;
        BOOST_TEST(render_chat_template(input, nullptr).text.size() == std::string("2026-07-27 01:00:00 Mon").size());
    }
}

BOOST_AUTO_TEST_CASE(a_template_for_tools_takes_the_others_place) {
    ChatTemplateInput input;
    input.template_text = "plain";
    input.tools_template_text = "tools";
    for (const auto &[request, expected] :
         {std::pair{R"({"messages": []})", "plain"}, std::pair{R"({"messages": [], "tools": null})", "plain"},
          std::pair{R"({"messages": [], "tools": [{"name": "f"}]})", "tools"}}) {
        input.request = request;
        BOOST_TEST(render_chat_template(input, nullptr).text == expected);
    }
}

}  // namespace llm::test
