// Option structs: by name, with checks, and in the sizes of older and newer programs.
#include "support/session.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstring>
#include <limits>

namespace llm::test {

BOOST_AUTO_TEST_CASE(names_set_fields) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    BOOST_TEST(llm_sampler_options_set(&options, "temperature", "0.5") == LLM_OK);
    BOOST_TEST(options.temperature == 0.5f);
    BOOST_TEST(llm_sampler_options_set(&options, "top_k", "7") == LLM_OK);
    BOOST_TEST(options.top_k == 7);
    BOOST_TEST(llm_sampler_options_set(&options, "seed", "4294967294") == LLM_OK);
    BOOST_TEST(options.seed == 4294967294u);
    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    BOOST_TEST(llm_context_options_set(&context, "cache_type_k", "f32") == LLM_OK);
    BOOST_TEST(context.cache_type_k == LLM_CACHE_F32);
}

BOOST_AUTO_TEST_CASE(wrong_names_and_values_change_nothing) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    const llm_sampler_options before = options;
    BOOST_TEST(llm_sampler_options_set(&options, "warmth", "1") == LLM_ERROR_NOT_FOUND);
    for (const char *value : {"", "hot", "1x", " 1", "nan", "inf", "-1", "1e9", "0x10"})
        BOOST_TEST(llm_sampler_options_set(&options, "temperature", value) == LLM_ERROR_ARGUMENT);
    for (const char *value : {"1.5", "-1", "4294967296", "99999999999999999999"})
        BOOST_TEST(llm_sampler_options_set(&options, "top_k", value) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(std::memcmp(&options, &before, sizeof options) == 0);
    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    BOOST_TEST(llm_context_options_set(&context, "cache_type_k", "f64") == LLM_ERROR_ARGUMENT);
    BOOST_TEST(llm_context_options_set(&context, "cache_type_k", "1") == LLM_ERROR_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(a_refused_value_is_named_as_it_was_written) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    BOOST_TEST(llm_sampler_options_set(&options, "seed", "4294967296") == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error() == "option 'seed' is 4294967296, must be 0 to 4294967295");
    BOOST_TEST(llm_sampler_options_set(&options, "top_p", "1.5") == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error() == "option 'top_p' is 1.5, must be 0 to 1");
}

BOOST_AUTO_TEST_CASE(every_option_is_described_and_takes_its_default) {
    for (llm_option_group group = LLM_OPTIONS_MODEL; group <= LLM_OPTIONS_CHAT; ++group) {
        BOOST_TEST(llm_option_count(group) > 0u);
        for (size_t i = 0; i < llm_option_count(group); ++i) {
            llm_option option = LLM_OPTION_INIT;
            check(llm_option_describe(&option, group, i));
            BOOST_TEST(std::strlen(option.help) > 0u);
            BOOST_TEST((option.default_value >= option.minimum && option.default_value <= option.maximum));
            BOOST_TEST((option.choices != nullptr) == (option.type == LLM_OPTION_CHOICE));
        }
        llm_option option = LLM_OPTION_INIT;
        BOOST_TEST(llm_option_describe(&option, group, llm_option_count(group)) == LLM_ERROR_NOT_FOUND);
    }
    BOOST_TEST(llm_option_count(99) == 0u);
}

BOOST_AUTO_TEST_CASE(values_are_checked_where_they_are_used) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    llm_sampler *sampler = nullptr;
    const auto status = [&](auto change) {
        llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
        change(options);
        return llm_sampler_new(&sampler, &options);
    };
    for (const float bad : {nan, -1.0f, std::numeric_limits<float>::infinity()}) {
        BOOST_TEST(status([&](auto &o) { o.temperature = bad; }) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(status([&](auto &o) { o.top_p = bad; }) == LLM_ERROR_ARGUMENT);
        BOOST_TEST(status([&](auto &o) { o.min_p = bad; }) == LLM_ERROR_ARGUMENT);
    }
    BOOST_TEST(status([&](auto &o) { o.top_k = -1; }) == LLM_ERROR_ARGUMENT);
    BOOST_TEST(sampler == nullptr);
}

BOOST_AUTO_TEST_CASE(structs_of_older_and_newer_programs) {
    struct Newer {
        llm_sampler_options known;
        int64_t more[2];
    } newer = {LLM_SAMPLER_OPTIONS_INIT, {0, 0}};
    newer.known.struct_size = sizeof newer;
    llm_sampler *sampler = nullptr;
    BOOST_TEST(llm_sampler_new(&sampler, &newer.known) == LLM_OK);
    llm_sampler_close(sampler);
    newer.more[1] = 1;
    BOOST_TEST(llm_sampler_new(&sampler, &newer.known) == LLM_ERROR_TOO_NEW);

    // An older program's struct ends after temperature; what lies behind it in memory is not read.
    llm_sampler_options older = LLM_SAMPLER_OPTIONS_INIT;
    older.struct_size = offsetof(llm_sampler_options, top_p);
    older.top_p = -5.0f;
    BOOST_TEST(llm_sampler_new(&sampler, &older) == LLM_OK);
    llm_sampler_close(sampler);
    older.struct_size = 0;
    BOOST_TEST(llm_sampler_new(&sampler, &older) == LLM_ERROR_ARGUMENT);
}

}  // namespace llm::test
