// The table of pre-tokenizers against the patterns that models' own files give (shared/tokenizer).
#include "tokenizer/pre_tokenizer_table.h"

#include "support/test_data.h"

#include <boost/test/unit_test.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace llm::test {

BOOST_AUTO_TEST_CASE(the_table_is_that_of_the_models) {
    if (!have_data("tokenizer/pretokenizers.json")) return;
    const auto data = nlohmann::json::parse(std::ifstream(data_folder() / "tokenizer/pretokenizers.json"));
    // Written otherwise in the table, for reasons that stand there.
    const std::vector<std::string> rewritten = {"\\s+$", "(?=(\\d{3})+(?!\\d))", "\\d{1,3}(?=(?:\\d{3})*\\b)",
                                                "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+",
                                                "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+"};
    size_t names = 0;
    for (const auto &group : data["groups"]) {
        const auto whole_words = group.value("whole_word_first", std::vector<std::string>());
        for (const std::string name : group["pre"]) {
            ++names;
            const PreTokenizer *found = find_pre_tokenizer(name);
            BOOST_TEST_CONTEXT(name) {
                BOOST_REQUIRE(found != nullptr);
                const bool whole_word_first = std::ranges::find(whole_words, name) != whole_words.end();
                BOOST_TEST(found->has(PreTokenizer::whole_word_first) == whole_word_first);
                BOOST_REQUIRE_EQUAL(found->steps.size(), group["patterns"].size());
                for (size_t index = 0; index < found->steps.size(); ++index) {
                    auto pattern = group["patterns"][index].get<std::string>();
                    if (std::ranges::find(rewritten, pattern) != rewritten.end()) continue;
                    // Line breaks are written as escapes here, and stand as they are there.
                    for (const auto &[bare, escape] : {std::pair{'\r', "\\r"}, std::pair{'\n', "\\n"}}) {
                        for (size_t at; (at = pattern.find(bare)) != pattern.npos;) pattern.replace(at, 1, escape);
                    }
                    BOOST_TEST(found->steps[index].pattern == pattern);
                }
            }
        }
    }
    BOOST_TEST(names == pre_tokenizers().size());
}

}  // namespace llm::test
