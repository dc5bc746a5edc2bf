// Applies the sampler chain to cases from standard input and prints what it leaves: the library's half of
// compare_samplers.py, which describes the cases. Arguments: a model file whose vocabulary gives sequence breakers
// their tokens, or none.
#include "capi/option_table.h"
#include "engine/sequence_breakers.h"
#include "gguf/model_files.h"

#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

namespace {

using Fields = std::map<std::string, std::string>;

template <class T>
std::vector<T> numbers(const std::string &text) {
    std::vector<T> out;
    std::istringstream words(text);
    for (std::string word; words >> word;) out.push_back(static_cast<T>(std::stod(word)));
    return out;
}

// Lines "name: value" up to an empty one.
Fields read_case() {
    Fields fields;
    for (std::string line; std::getline(std::cin, line) && !line.empty();)
        fields[line.substr(0, line.find(':'))] = line.substr(line.find(':') + 1);
    return fields;
}

llm_sampler_options read_options(const std::string &text) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.seed = 1;
    std::istringstream words(text);
    for (std::string name, value; words >> name >> value;)
        llm::set_option(&options, LLM_OPTIONS_SAMPLER, name.c_str(), value.c_str());
    return options;
}

void run_case(const Fields &fields, const std::shared_ptr<const llm::Model> &model) {
    const auto field = [&](const char *name) {
        const auto found = fields.find(name);
        return found == fields.end() ? std::string() : found->second;
    };
    llm_sampler_options options = read_options(field("options"));
    std::vector<llm_logit_bias> biases;
    const auto bias_numbers = numbers<float>(field("bias"));
    for (size_t i = 0; i + 1 < bias_numbers.size(); i += 2)
        biases.push_back({static_cast<llm_token>(bias_numbers[i]), bias_numbers[i + 1]});
    options.logit_bias = biases.data();
    options.logit_bias_count = biases.size();
    llm::Sampler sampler(options);
    if (model) llm::find_sequence_breakers(sampler, model);
    for (const size_t count : numbers<size_t>(field("uniform"))) sampler.sample(std::vector<float>(count, 0.0f));
    sampler.accept(numbers<llm_token>(field("history")));
    const std::vector<float> logits = numbers<float>(field("logits"));
    const llm::Candidates &left = sampler.filter(logits);
    const double total = left.total_weight();
    for (const llm::Candidate &candidate : left)
        if (candidate.weight > 0.0) std::printf("%d %.9g ", candidate.token, candidate.weight / total);
    std::printf("\n");
}

}  // namespace

int main(int argc, char **argv) {
    std::shared_ptr<const llm::Model> model;
    if (argc > 1) {
        llm::ModelOptions options;
        options.depth = llm::OpenDepth::vocabulary;
        model = std::make_shared<llm::Model>(llm::open_model_files(argv[1]), options);
    }
    for (Fields fields = read_case(); !fields.empty(); fields = read_case()) run_case(fields, model);
}
