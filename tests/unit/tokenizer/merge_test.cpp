// Merging against the definition carried out word for word, on short and on long texts.
#include "tokenizer/merge.h"

#include "tokenizer/merge_queue.h"

#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace llm::test {

namespace {

// Random merges of random letters. Ranks are in no order and often equal, so that a merge may make a better one
// possible to its left.
class RandomModel final : public MergeModel {
public:
    RandomModel(std::mt19937 &random, uint32_t letters, uint32_t merges) : letters_(letters) {
        next_ = static_cast<llm_token>(letters);
        for (uint32_t count = 0; count < merges; ++count) {
            const auto token = [&] { return static_cast<llm_token>(random() % static_cast<uint32_t>(next_)); };
            const std::pair pair = {token(), token()};
            if (merges_.contains(pair)) continue;
            merges_[pair] = {static_cast<uint32_t>(random() % 8), next_};
            ++next_;
        }
    }

    Symbol first_symbol(std::string_view text) const override { return {text.front() - 'a', 1}; }

    Merge find_merge(llm_token left, llm_token right, std::string_view) const override {
        const auto found = merges_.find({left, right});
        return found == merges_.end() ? Merge{no_merge, LLM_TOKEN_NONE} : found->second;
    }

    void append_tokens(std::vector<llm_token> &out, llm_token token, std::string_view) const override {
        out.push_back(token);
    }

    std::vector<llm_token> merged_by_definition(std::string_view text) const {
        std::vector<llm_token> tokens;
        for (const char letter : text) tokens.push_back(letter - 'a');
        for (;;) {
            size_t best = tokens.size();
            Merge best_merge = {no_merge, LLM_TOKEN_NONE};
            for (size_t index = 0; index + 1 < tokens.size(); ++index) {
                const Merge merge = find_merge(tokens[index], tokens[index + 1], {});
                if (merge.rank >= best_merge.rank) continue;
                best = index;
                best_merge = merge;
            }
            if (best == tokens.size()) return tokens;
            tokens[best] = best_merge.result;
            tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(best) + 1);
        }
    }

    std::string random_text(std::mt19937 &random, size_t length) const {
        std::string text;
        while (text.size() < length) text.push_back(static_cast<char>('a' + random() % letters_));
        return text;
    }

private:
    uint32_t letters_;
    llm_token next_;
    std::map<std::pair<llm_token, llm_token>, Merge> merges_;
};

std::vector<llm_token> merged(const RandomModel &model, std::string_view text) {
    std::vector<llm_token> out;
    append_merged(out, model, text);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(merges_as_defined) {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        const RandomModel model(random, 1 + random() % 4, 1 + random() % 40);
        for (const size_t length : {0, 1, 2, 7, 30, 48, 49, 50, 120, 300}) {
            const std::string text = model.random_text(random, length);
            BOOST_TEST(merged(model, text) == model.merged_by_definition(text), boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(repeated_letters_merge_as_defined) {
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        const RandomModel model(random, 2, 30);
        for (const std::string unit : {"a", "ab", "aab"}) {
            std::string text;
            while (text.size() < 200) text += unit;
            BOOST_TEST(merged(model, text) == model.merged_by_definition(text), boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(the_queue_gives_the_least_rank_and_of_equal_ranks_the_first_place) {
    std::mt19937 random(5);
    for (const uint32_t ranks : {1u, 3u, 1000u}) {
        MergeQueue queue;
        std::multiset<std::pair<uint32_t, uint32_t>> expected;
        uint32_t ascending = 0;
        for (int step = 0; step < 20000; ++step) {
            if (!expected.empty() && random() % 5 < 2) {
                const MergeQueue::Item item = queue.pop();
                BOOST_TEST((std::pair{item.rank, item.position} == *expected.begin()));
                expected.erase(expected.begin());
            } else {
                const uint32_t position = random() % 3 == 0 ? random() % 10000 : ascending++;
                const uint32_t rank = (random() % ranks) << 12;
                queue.push({rank, position});
                expected.insert({rank, position});
            }
            BOOST_TEST(queue.empty() == expected.empty());
        }
    }
}

}  // namespace llm::test
