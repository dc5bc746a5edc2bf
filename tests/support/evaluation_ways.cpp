// Evaluates a text in a given way, hashing the logits as they come.
#include "support/evaluation_ways.h"

#include <boost/test/test_tools.hpp>
#include <boost/test/tools/context.hpp>

#include <algorithm>
#include <bit>
#include <ostream>
#include <random>

namespace llm::test {

// The recurrence of FNV-1a with 32 bits at a time. Both operations are bijections, so that two rows which differ in one
// value never have the same hash.
uint64_t row_hash(std::span<const float> row) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const float value : row) hash = (hash ^ std::bit_cast<uint32_t>(value)) * 0x100000001b3;
    return hash;
}

std::shared_ptr<const Model> open_model(std::unique_ptr<ByteSource> source, const KernelTable *kernels, LoadMode load) {
    ModelOptions options;
    options.kernels = kernels;
    options.load = load;
    return std::make_shared<Model>(read_model_file(std::move(source)), options);
}

std::vector<llm_token> random_text(uint32_t vocabulary_size, size_t count) {
    std::mt19937 random(1);
    std::vector<llm_token> tokens(count);
    for (llm_token &token : tokens) token = static_cast<llm_token>(random() % vocabulary_size);
    return tokens;
}

std::ostream &operator<<(std::ostream &out, const Way &way) {
    out << way.threads << " threads, batch size " << way.batch_size << ", calls of";
    for (const uint32_t count : way.calls) out << ' ' << count;
    if (way.calls.empty()) out << " everything";
    return out << ", cache types " << static_cast<uint32_t>(way.keys) << ' ' << static_cast<uint32_t>(way.values);
}

std::vector<uint64_t> row_hashes(const std::shared_ptr<const Model> &model, std::span<const llm_token> text,
                                 const Way &way) {
    text = text.first(std::min(way.token_count, text.size()));
    Context context(model, {.context_length = static_cast<uint32_t>(text.size()),
                            .batch_size = way.batch_size,
                            .thread_count = way.threads,
                            .key_type = way.keys,
                            .value_type = way.values,
                            .keeps_all = way.keeps_all});
    std::vector<uint64_t> hashes;
    for (size_t call = 0; !text.empty(); ++call) {
        const size_t wanted = way.calls.empty() ? text.size() : way.calls[call % way.calls.size()];
        const auto tokens = text.first(std::min(wanted, text.size()));
        BOOST_REQUIRE(context.evaluate(0, tokens, WantedLogits::all));
        for (uint32_t row = 0; row < context.logits_rows(); ++row) hashes.push_back(row_hash(context.logits(row)));
        text = text.subspan(tokens.size());
    }
    return hashes;
}

void check_way(const std::shared_ptr<const Model> &model, std::span<const llm_token> text, const Way &way,
               std::span<const uint64_t> expected) {
    const auto hashes = row_hashes(model, text, way);
    BOOST_TEST_CONTEXT(model->kernels().name << ", " << way) {
        BOOST_REQUIRE(!hashes.empty());
        BOOST_REQUIRE(hashes.size() <= expected.size());
        const auto difference = std::mismatch(hashes.begin(), hashes.end(), expected.begin()).first;
        const auto same_rows = static_cast<size_t>(difference - hashes.begin());
        BOOST_TEST(same_rows == hashes.size(), "row " << same_rows << " of " << hashes.size() << " differs");
    }
}

}  // namespace llm::test
