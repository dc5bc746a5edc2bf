// Conversations through the C API: what becomes a control token and what does not, and every status.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstring>
#include <random>

namespace llm::test {

namespace {

constexpr llm_token begin_token = 297, end_token = 298, turn_token = 299;

const std::string turns =
    "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}<|turn|>{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}";

ModelPointer open_with_template(const std::string &source, const llm_model_options *options = nullptr) {
    return open_model(tiny_llama().set("tokenizer.chat_template", source).bytes(), options);
}

struct Tokens {
    llm_status status;
    std::vector<llm_token> ids;
};

Tokens tokenize_chat(const llm_model *model, const std::string &request, const llm_chat_options *options = nullptr) {
    Tokens out;
    size_t count = 0;
    out.status = llm_chat_tokenize(nullptr, 0, &count, model, request.data(), request.size(), options);
    if (out.status != LLM_BUFFER_TOO_SMALL) return out;
    out.ids.resize(count);
    out.status = llm_chat_tokenize(out.ids.data(), count, &count, model, request.data(), request.size(), options);
    return out;
}

std::string render_chat(const llm_model *model, const std::string &request, const llm_chat_options *options = nullptr) {
    size_t length = 0;
    const llm_status status = llm_chat_render(nullptr, 0, &length, model, request.data(), request.size(), options);
    if (status == LLM_OK) return "";
    BOOST_TEST_REQUIRE(status == LLM_BUFFER_TOO_SMALL, last_error());
    std::string out(length, '\0');
    check(llm_chat_render(out.data(), length, &length, model, request.data(), request.size(), options));
    return out;
}

std::string text_of(const llm_model *model, const std::vector<llm_token> &ids) {
    std::string out(4096, '\0');
    size_t length = 0;
    check(llm_detokenize(out.data(), out.size(), &length, model, ids.data(), ids.size(), LLM_DETOKENIZE_SPECIAL));
    out.resize(length);
    return out;
}

bool is_control(llm_token token) { return token >= begin_token && token <= turn_token; }

std::string user(const std::string &content) {
    return R"({"messages": [{"role": "user", "content": ")" + content + "\"}]}";
}

std::vector<llm_token> controls(const Tokens &tokens) {
    std::vector<llm_token> out;
    std::ranges::copy_if(tokens.ids, std::back_inserter(out), is_control);
    return out;
}

const std::vector<llm_token> one_turn = {begin_token, turn_token};

struct Fixture {
    ModelPointer model = open_with_template(turns);

    llm_status status(const std::string &request, const llm_chat_options *options = nullptr) {
        return tokenize_chat(model.get(), request, options).status;
    }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(chat, Fixture)

BOOST_AUTO_TEST_CASE(text_and_tokens_of_a_conversation) {
    const std::string request = R"({"messages": [{"role": "user", "content": "Hi"}]})";
    BOOST_TEST(render_chat(model.get(), request) == "<|begin|>user: Hi<|turn|>assistant:");
    const Tokens tokens = tokenize_chat(model.get(), request);
    BOOST_TEST(text_of(model.get(), tokens.ids) == "<|begin|>user: Hi<|turn|>assistant:");
    BOOST_TEST(controls(tokens) == one_turn);
    BOOST_TEST(tokens.ids.front() == begin_token);
}

BOOST_AUTO_TEST_CASE(spelled_control_tokens_stay_text) {
    for (const char *content :
         {"<|turn|>", "a<|end|>b", "<|begin|><|begin|>", "<<|turn|>|turn|>", "<|turn|><|turn|>x"}) {
        const Tokens tokens = tokenize_chat(model.get(), user(content));
        BOOST_TEST(controls(tokens) == one_turn);
        BOOST_TEST(text_of(model.get(), tokens.ids) == render_chat(model.get(), user(content)));
    }
    llm_chat_options open = LLM_CHAT_OPTIONS_INIT;
    open.guard = 0;
    BOOST_TEST(controls(tokenize_chat(model.get(), user("a<|end|>b"), &open)).size() == 3u);
}

BOOST_AUTO_TEST_CASE(guarded_text_has_the_tokens_of_plain_text) {
    const std::string content = "a<|end|>b <|turn";
    std::vector<llm_token> plain(64);
    size_t count = 0;
    const std::string text = "user: " + content;
    check(llm_tokenize(plain.data(), plain.size(), &count, model.get(), text.data(), text.size(), 0));
    plain.resize(count);
    const Tokens tokens = tokenize_chat(model.get(), user(content));
    BOOST_TEST_REQUIRE(tokens.ids.size() > count + 1);
    BOOST_TEST(std::equal(plain.begin(), plain.end(), tokens.ids.begin() + 1));
}

BOOST_AUTO_TEST_CASE(a_spelling_in_two_pieces_stays_text) {
    const std::string source =
        "{% for m in messages %}{% for p in m.content %}{{ p.text | trim }}{% endfor %}{% endfor %}";
    const ModelPointer parts = open_with_template(source);
    const std::string request = R"({"messages": [{"role": "user", "content": [{"type": "text", "text": "<|tu "},)"
                                R"({"type": "text", "text": "rn|>"}]}]})";
    BOOST_TEST(render_chat(parts.get(), request) == "<|turn|>");
    BOOST_TEST(controls(tokenize_chat(parts.get(), request)).empty());
}

BOOST_AUTO_TEST_CASE(every_place_of_a_request_is_guarded) {
    const std::string source =
        "{% for m in messages %}{{ m | tojson }}{{ m | tojson(ensure_ascii=true) }}{{ m }}"
        "{{ m.content }}{% endfor %}{{ tools | tojson(indent=2) }}{{ documents }}{{ extra }}"
        "{{ more }}{{ bos_token }}";
    const ModelPointer all = open_with_template(source);
    const std::string spelled = R"("<|turn|>\"<|end|>é\n")";
    const std::string request = R"({"messages": [{"role": "tool", "name": )" + spelled + R"(, "content": )" + spelled +
                                R"(}, {"role": "assistant", "content": )" + spelled +
                                R"(, "tool_calls": [{"function": {"arguments": {"<|turn|>": )" + spelled +
                                R"(}}}]}], "tools": [{"<|end|>": )" + spelled + R"(}], "documents": [)" + spelled +
                                R"(], "extra": )" + spelled + R"(, "variables": {"more": )" + spelled + "}}";
    const Tokens tokens = tokenize_chat(all.get(), request);
    BOOST_TEST(tokens.status == LLM_OK);
    BOOST_TEST(controls(tokens) == std::vector<llm_token>{begin_token});
    BOOST_TEST(text_of(all.get(), tokens.ids) == render_chat(all.get(), request));
}

BOOST_AUTO_TEST_CASE(a_template_finds_what_it_looks_for_in_the_assistants_words) {
    const ModelPointer thinks =
        open_with_template("{% for m in messages %}{{ m.content.split('<|turn|>')[-1] }}{% endfor %}");
    const std::string request = R"({"messages": [{"role": "assistant", "content": "because<|turn|>answer<|end|>"}]})";
    const Tokens tokens = tokenize_chat(thinks.get(), request);
    BOOST_TEST(text_of(thinks.get(), tokens.ids) == "answer<|end|>");
}

BOOST_AUTO_TEST_CASE(roles_make_control_tokens) {
    const ModelPointer roles = open_with_template("{% for m in messages %}<|{{ m.role }}|>{% endfor %}");
    const Tokens tokens = tokenize_chat(roles.get(), R"({"messages": [{"role": "turn"}, {"role": "end"}]})");
    BOOST_TEST(controls(tokens) == (std::vector<llm_token>{turn_token, end_token}));
}

// Noncharacters, which stand for other characters inside, mean nothing when they come from outside.
BOOST_AUTO_TEST_CASE(noncharacters_are_text_like_any_other) {
    const std::string content = "\uFDD0|turn|>\uFDEF\uFFFE\U0010FFFF\uFDD1<|turn|>";
    const Tokens tokens = tokenize_chat(model.get(), user(content));
    BOOST_TEST(controls(tokens) == one_turn);
    BOOST_TEST(text_of(model.get(), tokens.ids) == "<|begin|>user: " + content + "<|turn|>assistant:");
}

BOOST_AUTO_TEST_CASE(any_text_comes_back_and_makes_no_control_token) {
    const std::vector<std::string> pieces = {"<|turn|>", "<|end|>", "<|begin|>", "<|",  "|>",   "<",
                                             "tu",       "rn|>",    " ",         "\\n", "\\\"", "a",
                                             "é",        "🙂",    "\uFDD0",    "\\t", "\\\\"};
    std::mt19937 random(8);
    for (int round = 0; round < 500; ++round) {
        std::string content;
        for (uint32_t i = random() % 12; i > 0; --i) content += pieces[random() % pieces.size()];
        const std::string request = user(content);
        const Tokens tokens = tokenize_chat(model.get(), request);
        BOOST_TEST_REQUIRE(tokens.status == LLM_OK);
        BOOST_TEST_REQUIRE(controls(tokens) == one_turn, content);
        BOOST_TEST_REQUIRE(text_of(model.get(), tokens.ids) == render_chat(model.get(), request));
    }
}

BOOST_AUTO_TEST_CASE(named_templates) {
    const ModelPointer named = open_model(tiny_llama()
                                              .set("tokenizer.chat_template", "plain")
                                              .set("tokenizer.chat_template.tool_use", "tools")
                                              .set("tokenizer.chat_template.rag", "rag")
                                              .bytes());
    const std::string with_tools = R"({"messages": [], "tools": [{}]})", without = R"({"messages": []})";
    BOOST_TEST(render_chat(named.get(), without) == "plain");
    BOOST_TEST(render_chat(named.get(), with_tools) == "tools");
    llm_chat_options options = LLM_CHAT_OPTIONS_INIT;
    options.template_name = "rag";
    BOOST_TEST(render_chat(named.get(), with_tools, &options) == "rag");
    options.template_name = "default";
    BOOST_TEST(render_chat(named.get(), with_tools, &options) == "plain");
    options.template_name = "other";
    BOOST_TEST(tokenize_chat(named.get(), without, &options).status == LLM_ERROR_NOT_FOUND);
    options.template_text = "given";
    options.template_length = 5;
    BOOST_TEST(render_chat(named.get(), without, &options) == "given");
}

BOOST_AUTO_TEST_CASE(the_time_is_given_or_the_systems) {
    const ModelPointer clock = open_with_template("{{ strftime_now('%Y-%m-%d %H') }}");
    llm_chat_options options = LLM_CHAT_OPTIONS_INIT;
    options.now = 0;
    options.utc_offset = 3600;
    BOOST_TEST(render_chat(clock.get(), R"({"messages": []})", &options) == "1970-01-01 01");
    BOOST_TEST(render_chat(clock.get(), R"({"messages": []})") > "2026-01-01");
}

BOOST_AUTO_TEST_CASE(tags_of_training_are_read_over_in_the_files_template_only) {
    const std::string source = "\na{% generation %}b{% endgeneration %}{% raw %}{% generation %}{% endraw %}";
    const std::string text = "\nab{% generation %}";
    const ModelPointer trained = open_with_template(source);
    const std::string request = R"({"messages": []})";
    llm_chat_options options = LLM_CHAT_OPTIONS_INIT;
    BOOST_TEST(render_chat(trained.get(), request) == text);
    options.generation_tags = 0;
    BOOST_TEST(tokenize_chat(trained.get(), request, &options).status == LLM_ERROR_TEMPLATE);
    options = LLM_CHAT_OPTIONS_INIT;
    options.template_text = source.data();
    options.template_length = source.size();
    BOOST_TEST(tokenize_chat(trained.get(), request, &options).status == LLM_ERROR_TEMPLATE);
    BOOST_TEST(last_error().find("line 2: Jinja does not know the tag 'generation'") != std::string::npos,
               last_error());
    options.generation_tags = 1;
    BOOST_TEST(render_chat(trained.get(), request, &options) == text);
}

BOOST_AUTO_TEST_CASE(statuses) {
    BOOST_TEST(status("{") == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error().find("line 1") != std::string::npos);
    const ModelPointer refuses = open_with_template("\n{{ raise_exception('not like this') }}");
    BOOST_TEST(tokenize_chat(refuses.get(), user("a")).status == LLM_ERROR_TEMPLATE);
    BOOST_TEST(last_error() == "chat template: line 2: the template refuses this conversation: not like this");
    const ModelPointer without = open_model(tiny_llama().bytes());
    BOOST_TEST(tokenize_chat(without.get(), user("a")).status == LLM_ERROR_NOT_FOUND);
    llm_chat_options options = LLM_CHAT_OPTIONS_INIT;
    options.guard = 2;
    BOOST_TEST(status(user("a"), &options) == LLM_ERROR_ARGUMENT);
    options = LLM_CHAT_OPTIONS_INIT;
    options.template_text = "{% for a in range(99999) %}{% for a in range(99999) %}{% endfor %}{% endfor %}";
    options.template_length = std::strlen(options.template_text);
    BOOST_TEST(status(user("a"), &options) == LLM_ERROR_LIMIT);
    size_t count = 0;
    BOOST_TEST(llm_chat_tokenize(nullptr, 0, &count, nullptr, "{}", 2, nullptr) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_chat_tokenize(nullptr, 0, &count, model.get(), nullptr, 2, nullptr) == LLM_ERROR_ARGUMENT);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace llm::test
