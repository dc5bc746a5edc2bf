// The loaded library and the header are of one version, and every status of the header has its name.
#include <boost/test/unit_test.hpp>

#include <llm/llm.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace {

// The statuses that the header defines: number and name.
std::map<llm_status, std::string> statuses_of_header() {
    std::map<llm_status, std::string> statuses;
    std::ifstream header(LLM_SOURCE_DIR "/include/llm/llm.h");
    const std::regex define(
        R"(#define (LLM_OK|LLM_END|LLM_BUFFER_TOO_SMALL|LLM_CANCELLED|LLM_ERROR_\w+) \(?(-?\d+)\)?.*)");
    for (std::string line; std::getline(header, line);)
        if (std::smatch match; std::regex_match(line, match, define)) {
            const bool is_new = statuses.emplace(std::stoi(match[2]), match[1]).second;
            BOOST_TEST(is_new, match[1] << " has the number of another status");
        }
    return statuses;
}

}  // namespace

BOOST_AUTO_TEST_CASE(versions_agree) {
    BOOST_TEST(llm_version() == std::uint32_t(LLM_VERSION));
    BOOST_TEST(llm_version_string() == std::string(LLM_VERSION_STRING));
    BOOST_TEST(llm_abi_version() == std::uint32_t(LLM_ABI_VERSION));
    BOOST_TEST(std::string(LLM_VERSION_STRING) == std::to_string(LLM_VERSION_MAJOR) + "." +
                                                      std::to_string(LLM_VERSION_MINOR) + "." +
                                                      std::to_string(LLM_VERSION_PATCH));
}

BOOST_AUTO_TEST_CASE(every_status_has_its_name) {
    const auto statuses = statuses_of_header();
    BOOST_TEST_REQUIRE(statuses.size() >= 20u);
    for (const auto &[status, name] : statuses) BOOST_TEST(llm_status_name(status) == name);
    BOOST_TEST(llm_status_name(-9999) == std::string("LLM_STATUS_UNKNOWN"));
    BOOST_TEST(llm_status_name(9999) == std::string("LLM_STATUS_UNKNOWN"));
}
