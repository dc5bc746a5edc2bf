// What is to be had of chat templates in every build: their sources, and that they keep nobody from using the model.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <string_view>

namespace llm::test {

namespace {

constexpr std::string_view request = R"({"messages": [{"role": "user", "content": "a"}]})";

}  // namespace

BOOST_AUTO_TEST_CASE(built_or_not_is_said) {
    char info[2048];
    size_t length = 0;
    check(llm_system_info(info, sizeof info, &length));
    const std::string facts(info, length);
    const size_t place = facts.find("\"chat_templates\"");
    BOOST_TEST_REQUIRE(place != std::string::npos);
    const bool built = facts.find("true", place) < facts.find("false", place);
    const ModelPointer model = open_model(tiny_llama().set("tokenizer.chat_template", "").bytes());
    const llm_status status =
        llm_chat_tokenize(nullptr, 0, &length, model.get(), request.data(), request.size(), nullptr);
    BOOST_TEST(status == (built ? LLM_OK : LLM_ERROR_NOT_BUILT));
}

// A template that cannot be read keeps nobody from using the model.
BOOST_AUTO_TEST_CASE(a_model_with_a_wrong_template_opens) {
    for (const char *source : {"", "{{", "{% no %}", "\xff"}) {
        const ModelPointer broken = open_model(tiny_llama().set("tokenizer.chat_template", source).bytes());
        llm_token ids[16];
        size_t count = 0;
        BOOST_TEST(llm_tokenize(ids, 16, &count, broken.get(), "a", 1, 0) == LLM_OK);
    }
}

BOOST_AUTO_TEST_CASE(sources_of_templates) {
    llm_model_options metadata = LLM_MODEL_OPTIONS_INIT;
    metadata.open = LLM_OPEN_METADATA;
    const ModelPointer named = open_model(
        tiny_llama().set("tokenizer.chat_template", "plain").set("tokenizer.chat_template.rag", "rag").bytes(),
        &metadata);
    char text[64];
    size_t length = 0;
    const auto given = [&] { return std::string(text, length); };
    check(llm_chat_template(text, sizeof text, &length, named.get(), nullptr));
    BOOST_TEST(given() == "plain");
    check(llm_chat_template(text, sizeof text, &length, named.get(), "rag"));
    BOOST_TEST(given() == "rag");
    BOOST_TEST(llm_chat_template(text, sizeof text, &length, named.get(), "no") == LLM_ERROR_NOT_FOUND);
    BOOST_TEST(llm_chat_template(nullptr, 0, &length, named.get(), "rag") == LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(length == 3u);
    check(llm_chat_template_name(text, sizeof text, &length, named.get(), 0));
    BOOST_TEST(given() == "default");
    check(llm_chat_template_name(text, sizeof text, &length, named.get(), 1));
    BOOST_TEST(given() == "rag");
    BOOST_TEST(llm_chat_template_name(text, sizeof text, &length, named.get(), 2) == LLM_ERROR_NOT_FOUND);
    BOOST_TEST(llm_chat_tokenize(nullptr, 0, &length, named.get(), request.data(), request.size(), nullptr) ==
               LLM_ERROR_STATE);
}

}  // namespace llm::test
