// Option structs through the shared library: INIT macro, init function and table agree.
#include <boost/test/unit_test.hpp>

#include <llm/llm.h>

#include <charconv>
#include <cstring>
#include <string>
#include <vector>

namespace {

// An option struct with its functions.
template <class Struct>
struct Group {
    llm_option_group number;
    Struct init_macro;
    llm_status (*init)(Struct *);
    llm_status (*set)(Struct *, const char *, const char *);
};

const Group<llm_model_options> model_group{LLM_OPTIONS_MODEL, LLM_MODEL_OPTIONS_INIT, llm_model_options_init,
                                           llm_model_options_set};
const Group<llm_context_options> context_group{LLM_OPTIONS_CONTEXT, LLM_CONTEXT_OPTIONS_INIT, llm_context_options_init,
                                               llm_context_options_set};
const Group<llm_sampler_options> sampler_group{LLM_OPTIONS_SAMPLER, LLM_SAMPLER_OPTIONS_INIT, llm_sampler_options_init,
                                               llm_sampler_options_set};
const Group<llm_generation_options> generation_group{LLM_OPTIONS_GENERATION, LLM_GENERATION_OPTIONS_INIT,
                                                     llm_generation_options_init, llm_generation_options_set};
const Group<llm_chat_options> chat_group{LLM_OPTIONS_CHAT, LLM_CHAT_OPTIONS_INIT, llm_chat_options_init,
                                         llm_chat_options_set};

template <class Struct>
bool same_bytes(const Struct &a, const Struct &b) {
    return std::memcmp(&a, &b, sizeof(Struct)) == 0;
}

template <class Struct>
Struct filled_with(unsigned char byte) {
    Struct out;
    std::memset(&out, byte, sizeof out);
    return out;
}

template <class Struct>
std::vector<llm_option> table_of(const Group<Struct> &group) {
    std::vector<llm_option> table(llm_option_count(group.number), llm_option LLM_OPTION_INIT);
    for (std::size_t i = 0; i < table.size(); i++)
        BOOST_TEST_REQUIRE(llm_option_describe(&table[i], group.number, i) == LLM_OK);
    return table;
}

std::string text_of(const llm_option &row, double value) {
    if (row.type == LLM_OPTION_CHOICE) {
        std::string words = row.choices;
        for (int skip = int(value); skip > 0; skip--) words.erase(0, words.find('|') + 1);
        return words.substr(0, words.find('|'));
    }
    char text[64];
    const auto format = row.type == LLM_OPTION_REAL ? std::chars_format::general : std::chars_format::fixed;
    return std::string(text, std::to_chars(text, text + sizeof text, value, format).ptr);
}

template <class Struct>
void check_init(const Group<Struct> &group) {
    for (const unsigned char byte : {0x00, 0x55, 0xFF}) {
        auto options = filled_with<Struct>(byte);
        BOOST_TEST(group.init(&options) == LLM_OK);
        BOOST_TEST(same_bytes(options, group.init_macro));
    }
    BOOST_TEST(group.init_macro.struct_size == sizeof(Struct));
    BOOST_TEST(group.init(nullptr) == LLM_ERROR_ARGUMENT);
}

template <class Struct>
void check_defaults(const Group<Struct> &group) {
    for (const llm_option &row : table_of(group)) {
        auto options = group.init_macro;
        const std::string text = text_of(row, row.default_value);
        BOOST_TEST_CONTEXT(row.name << " = " << text) {
            BOOST_TEST(group.set(&options, row.name, text.c_str()) == LLM_OK);
            BOOST_TEST(same_bytes(options, group.init_macro));
        }
    }
}

template <class Struct>
void check_refused(const Group<Struct> &group, const std::string &name, const std::string &text, llm_status expected) {
    auto options = group.init_macro;
    BOOST_TEST_CONTEXT(name << " = '" << text << "'") {
        BOOST_TEST(group.set(&options, name.c_str(), text.c_str()) == expected);
        BOOST_TEST(same_bytes(options, group.init_macro));
    }
}

template <class Struct>
void check_limits(const Group<Struct> &group) {
    for (const llm_option &row : table_of(group)) {
        BOOST_TEST(row.minimum <= row.default_value);
        BOOST_TEST(row.default_value <= row.maximum);
        auto options = group.init_macro;
        BOOST_TEST_CONTEXT(row.name) {
            BOOST_TEST(group.set(&options, row.name, text_of(row, row.minimum).c_str()) == LLM_OK);
            BOOST_TEST(group.set(&options, row.name, text_of(row, row.maximum).c_str()) == LLM_OK);
        }
        for (const char *text : {"", " ", "x", "1x", "nan", "inf", "0x1", "1e999"})
            check_refused(group, row.name, text, LLM_ERROR_ARGUMENT);
        if (row.type == LLM_OPTION_CHOICE) continue;
        check_refused(group, row.name, text_of(row, row.minimum - 1), LLM_ERROR_ARGUMENT);
        check_refused(group, row.name, text_of(row, row.maximum * 2 + 1), LLM_ERROR_ARGUMENT);
        if (row.type == LLM_OPTION_INTEGER) check_refused(group, row.name, "0.5", LLM_ERROR_ARGUMENT);
    }
    check_refused(group, "no_such_option", "1", LLM_ERROR_NOT_FOUND);
}

template <class Check>
void for_each_group(Check check) {
    check(model_group);
    check(context_group);
    check(sampler_group);
    check(generation_group);
    check(chat_group);
}

}  // namespace

BOOST_AUTO_TEST_CASE(init_function_and_macro_give_the_same_bytes) {
    for_each_group([](const auto &group) { check_init(group); });
}

BOOST_AUTO_TEST_CASE(the_table_has_the_defaults_of_the_macro) {
    for_each_group([](const auto &group) { check_defaults(group); });
}

BOOST_AUTO_TEST_CASE(the_table_has_the_limits_that_hold) {
    for_each_group([](const auto &group) { check_limits(group); });
}
