// Functions without an object: what the library says about itself, and its log.
#include "support/session.h"
#include "support/tiny_llama.h"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace llm::test {

namespace {

struct Log {
    std::vector<std::string> lines;
    std::vector<llm_log_level> levels;

    explicit Log(llm_log_level minimum) { check(llm_log_set(add, this, minimum)); }
    ~Log() { llm_log_set(nullptr, nullptr, LLM_LOG_DEBUG); }

    static void add(void *user, llm_log_level level, const char *text, size_t length) {
        auto *log = static_cast<Log *>(user);
        log->lines.emplace_back(text, length);
        log->levels.push_back(level);
    }
};

// Opening it is worth a line at level INFO: a tensor is not used.
void open_with_unused_tensor() {
    open_model(tiny_llama().add_tensor("unused.weight", {4}, 0, std::vector<uint8_t>(16)).bytes());
}

// Closing twice is worth a WARNING.
void close_twice() {
    llm_sampler *sampler = nullptr;
    check(llm_sampler_new(&sampler, nullptr));
    llm_sampler_close(sampler);
    llm_sampler_close(sampler);
}

}  // namespace

BOOST_AUTO_TEST_CASE(system_info) {
    size_t length = 0;
    BOOST_TEST(llm_system_info(nullptr, 0, &length) == LLM_BUFFER_TOO_SMALL);
    std::string text(length, '\0');
    BOOST_TEST(llm_system_info(text.data(), length - 1, &length) == LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(text == std::string(length, '\0'));
    BOOST_TEST(llm_system_info(text.data(), text.size(), &length) == LLM_OK);
    const char *tier = nullptr;
    check(llm_cpu_tier(&tier));
    for (const std::string &part :
         {"\"version\": \"" + std::string(llm_version_string()) + '"',
          "\"abi_version\": " + std::to_string(llm_abi_version()), "\"tier\": \"" + std::string(tier) + '"',
          std::string("\"tiers\": \""), std::string("\"features\": \""), std::string("\"threads\": "),
          std::string("\"unicode_version\": \"1")})
        BOOST_TEST(text.find(part) != std::string::npos, part << " in " << text);
}

BOOST_AUTO_TEST_CASE(levels_of_the_log) {
    {
        const Log log(LLM_LOG_INFO);
        open_with_unused_tensor();
        close_twice();
        BOOST_TEST(log.levels == (std::vector<llm_log_level>{LLM_LOG_INFO, LLM_LOG_INFO, LLM_LOG_WARNING}),
                   boost::test_tools::per_element());
        for (const std::string &line : log.lines) BOOST_TEST((!line.empty() && line.find('\n') == std::string::npos));
    }
    const Log log(LLM_LOG_WARNING);
    open_with_unused_tensor();
    BOOST_TEST(log.lines.empty());
    close_twice();
    BOOST_TEST(log.lines.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_the_log_refuses) {
    for (const llm_log_level level : {LLM_LOG_DEBUG - 1, LLM_LOG_WARNING + 1})
        BOOST_TEST(llm_log_set(nullptr, nullptr, level) == LLM_ERROR_ARGUMENT);
    llm_status inside = LLM_OK;
    const auto replace = [](void *user, llm_log_level, const char *, size_t) {
        *static_cast<llm_status *>(user) = llm_log_set(nullptr, nullptr, LLM_LOG_DEBUG);
    };
    check(llm_log_set(replace, &inside, LLM_LOG_DEBUG));
    close_twice();
    check(llm_log_set(nullptr, nullptr, LLM_LOG_DEBUG));
    BOOST_TEST(inside == LLM_ERROR_STATE);  // it would have to wait for itself
}

BOOST_AUTO_TEST_CASE(errors_have_a_text_and_a_name) {
    BOOST_TEST(llm_cpu_select("abacus") == LLM_ERROR_ARGUMENT);
    BOOST_TEST(last_error().find("abacus") != std::string::npos);
    char small[8] = "unused";
    size_t length = 0;
    BOOST_TEST(llm_last_error(small, sizeof small, &length) == LLM_BUFFER_TOO_SMALL);
    BOOST_TEST(std::string(small) == "unused");
    BOOST_TEST(length == last_error().size());
    BOOST_TEST(llm_last_error(nullptr, 4, nullptr) == LLM_ERROR_ARGUMENT);
}

}  // namespace llm::test
