// Continues many texts at once with one model that all threads share: requests MODEL TEXT...
// Build: c++ -std=c++20 -pthread requests.cpp $(pkg-config --cflags --libs llm)
#include <llm/llm.hpp>

#include <future>
#include <iostream>
#include <string>
#include <vector>

namespace {

// A thread's work: everything but the model is its own.
std::string serve(const llm::Model &model, const std::string &text) {
    llm::ContextOptions options;
    options.threads = 1;  // the requests themselves keep the processors busy
    options.context_length = 512;
    llm::Context context(model, options);
    llm::SamplerOptions greedy;
    greedy.temperature = 0;
    llm::Sampler sampler(greedy);
    llm::GenerationOptions limits;
    limits.max_tokens = 16;
    return llm::Generation(context, sampler, model.tokenize(text), limits).rest();
}

void serve_all(const std::string &path, const std::vector<std::string> &texts) {
    const llm::Model model(path);
    std::vector<std::future<std::string>> answers;
    for (const std::string &text : texts)
        answers.push_back(std::async(std::launch::async, serve, std::cref(model), text));
    for (size_t i = 0; i < texts.size(); ++i) std::cout << texts[i] << '|' << answers[i].get() << '\n';
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::cerr << "usage: " << argv[0] << " MODEL TEXT...\n";
        return 2;
    }
    try {
        serve_all(argv[1], {argv + 2, argv + argc});
    } catch (const llm::Error &error) {
        std::cerr << argv[1] << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
