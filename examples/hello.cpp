// Continues a text with a model, in C++: hello MODEL [TEXT]
// Build: c++ -std=c++20 hello.cpp $(pkg-config --cflags --libs llm)
#include <llm/llm.hpp>

#include <iostream>
#include <string>

namespace {

void continue_text(const std::string &path, const std::string &text) {
    const llm::Model model(path);
    llm::Context context(model);
    llm::SamplerOptions greedy;
    greedy.temperature = 0;  // always the most probable token
    llm::Sampler sampler(greedy);
    llm::GenerationOptions options;
    options.max_tokens = 48;

    std::cout << text;
    llm::Generation generation(context, sampler, model.tokenize(text), options);
    for (const llm::Chunk &chunk : generation) std::cout << chunk.text << std::flush;
    std::cout << '\n';
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " MODEL [TEXT]\n";
        return 2;
    }
    try {
        continue_text(argv[1], argc > 2 ? argv[2] : "Once upon a time");
    } catch (const llm::Error &error) {
        std::cerr << argv[1] << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
