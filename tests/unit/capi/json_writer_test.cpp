// JSON that the library writes.
#include "capi/json_writer.h"

#include <boost/test/unit_test.hpp>

namespace llm {

BOOST_AUTO_TEST_CASE(objects_arrays_and_members) {
    JsonWriter json;
    json.begin_object().text("a", "b").number("n", -5).boolean("t", true).begin_array("list").text("", "x");
    json.begin_object().boolean("f", false).end_object().end_array().begin_object("o").end_object().end_object();
    BOOST_TEST(json.str() == R"({"a": "b", "n": -5, "t": true, "list": ["x", {"f": false}], "o": {}})");
}

BOOST_AUTO_TEST_CASE(text_is_escaped_and_always_utf8) {
    JsonWriter json;
    json.begin_object().text("k\"", "\\\n\x01\xC3\xA9\xFF\xE2\x82").end_object();
    BOOST_TEST(json.str() == "{\"k\\\"\": \"\\\\\\u000a\\u0001\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

}  // namespace llm
