// The rules for real models, and how they are checked.
#include "golden/real_model.h"

#include "support/session.h"
#include "support/test_data.h"

#include <boost/test/test_tools.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>

namespace llm::test {

namespace {

constexpr double clear_margin = 0.5;  // nearer choices may turn on the error of eight-bit activations

// Opens the model and the data; false, with the line that skips the test, when one is missing.
struct Fixture {
    nlohmann::json golden;
    ModelPointer model;

    bool open(const RealModel &real) {
        const char *path = std::getenv(real.path_variable);
        if (!path) {
            std::printf("SKIPPED: %s does not name the model\n", real.path_variable);
            return false;
        }
        const std::string name = std::string("golden/real/") + real.golden_file;
        if (!have_data(name)) return false;
        golden = nlohmann::json::parse(std::ifstream(data_folder() / name));
        model = open_model(path);
        return true;
    }
};

std::vector<llm_token> tokenize(const llm_model *model, const std::string &text) {
    std::vector<llm_token> ids(text.size() + 8);
    size_t count = 0;
    check(llm_tokenize(ids.data(), ids.size(), &count, model, text.data(), text.size(),
                       LLM_TOKENIZE_ADD_SPECIAL | LLM_TOKENIZE_PARSE_SPECIAL));
    ids.resize(count);
    return ids;
}

double negative_log_likelihood(std::span<const float> logits, llm_token token) {
    double maximum = logits[0], sum = 0.0;
    for (const float logit : logits) maximum = std::max<double>(maximum, logit);
    for (const float logit : logits) sum += std::exp(logit - maximum);
    return maximum + std::log(sum) - logits[static_cast<size_t>(token)];
}

double root_mean_square(const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

void check_prompt_ids(const RealModel &real) {
    Fixture fixture;
    if (!fixture.open(real)) return;
    const auto &[golden, model] = fixture;
    for (const auto &prompt : golden["prompts"])
        BOOST_TEST(tokenize(model.get(), prompt["text"]) == prompt["ids"].get<std::vector<llm_token>>(),
                   boost::test_tools::per_element());
}

void check_clear_choices(const RealModel &real) {
    Fixture fixture;
    if (!fixture.open(real)) return;
    const auto &[golden, model] = fixture;
    Session session(model.get(), precise_options(256));
    for (const auto &prompt : golden["prompts"]) {
        const auto greedy = prompt["exact"]["greedy"].get<std::vector<llm_token>>();
        const auto margin = prompt["exact"]["margin"].get<std::vector<double>>();
        session.clear();
        std::vector<float> row = session.evaluate(prompt["ids"].get<std::vector<llm_token>>());
        for (size_t step = 0; step < greedy.size(); ++step) {
            if (margin[step] >= clear_margin) BOOST_TEST(arg_max(row) == greedy[step]);
            row = session.evaluate(std::span(&greedy[step], 1));
        }
    }
}

void check_likelihood(const RealModel &real) {
    Fixture fixture;
    if (!fixture.open(real)) return;
    const auto &[golden, model] = fixture;
    const auto ids = golden["passage"]["ids"].get<std::vector<llm_token>>();
    const auto exact = golden["passage"]["nll_exact"].get<std::vector<double>>();
    const auto reference = golden["passage"]["nll_reference"].get<std::vector<double>>();
    Session session(model.get(), precise_options(512));
    const std::vector<float> logits = session.evaluate_all(ids);
    std::vector<double> ours;
    for (size_t i = 0; i + 1 < ids.size(); ++i)
        ours.push_back(negative_log_likelihood(
            std::span(logits).subspan(i * session.vocabulary_size(), session.vocabulary_size()), ids[i + 1]));
    BOOST_REQUIRE_EQUAL(ours.size(), exact.size());
    const double deviation = root_mean_square(ours, exact);
    std::printf("root mean square deviation of the likelihood: ours %.4f, reference %.4f\n", deviation,
                root_mean_square(reference, exact));
    BOOST_TEST(deviation <= root_mean_square(reference, exact));
}

}  // namespace llm::test
