// Finds the texts that are nearest in meaning to a query, with an encoder: search MODEL QUERY < TEXTS
// Each line of standard input is a text; they are printed with their similarity, the most similar first.
// Build: c++ -std=c++20 search.cpp $(pkg-config --cflags --libs llm)
#include <llm/llm.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

namespace {

struct Found {
    float similarity;
    std::string text;
};

void search(const std::string &path, const std::string &query) {
    const llm::Model model(path);
    llm::Context context(model);
    // Of length 1, so that the product of two is the cosine of their angle.
    const auto embed = [&](const std::string &text) { return context.embed(model.tokenize(text)); };

    const std::vector<float> wanted = embed(query);
    std::vector<Found> texts;
    for (std::string line; std::getline(std::cin, line);) {
        const std::vector<float> vector = embed(line);
        texts.push_back({std::inner_product(wanted.begin(), wanted.end(), vector.begin(), 0.0f), line});
    }
    std::ranges::stable_sort(texts, std::greater(), &Found::similarity);
    for (const Found &found : texts) std::printf("%6.3f  %s\n", found.similarity, found.text.c_str());
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: " << argv[0] << " MODEL QUERY < TEXTS\n";
        return 2;
    }
    try {
        search(argv[1], argv[2]);
    } catch (const llm::Error &error) {
        std::cerr << argv[1] << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
