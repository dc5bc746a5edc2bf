// What was meant by a word that was mistyped.
#include "nearest.h"

#include <algorithm>

namespace cli {
namespace {

constexpr std::size_t most_suggestions = 3;

// Least number of letters to insert, remove, replace or swap with the next that makes one of the other (optimal string
// alignment), or npos where that is more than a third of the letters.
std::size_t distance(const std::string &from, const std::string &to) {
    const std::size_t width = to.size() + 1;
    std::vector<std::size_t> cells((from.size() + 1) * width);  // [i * width + j]: of the first i and j letters
    for (std::size_t i = 0; i <= from.size(); i++) {
        for (std::size_t j = 0; j <= to.size(); j++) {
            std::size_t &cell = cells[i * width + j];
            cell = i + j;
            if (i == 0 || j == 0) continue;
            const std::size_t replaced = cells[(i - 1) * width + j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            cell = std::min({replaced, cells[(i - 1) * width + j] + 1, cells[i * width + j - 1] + 1});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                cell = std::min(cell, cells[(i - 2) * width + j - 2] + 1);
        }
    }
    const std::size_t most = std::max<std::size_t>(1, std::min(from.size(), to.size()) / 3);
    return cells.back() <= most ? cells.back() : std::string::npos;
}

}  // namespace

std::vector<std::string> nearest_words(const std::string &word, const std::vector<std::string> &words) {
    std::vector<std::string> best;
    std::size_t least = std::string::npos;
    if (word.size() > 64) return best;  // nobody mistypes that
    for (const std::string &candidate : words) {
        const std::size_t d = distance(word, candidate);
        if (d < least) best.clear(), least = d;
        if (d == least && d != std::string::npos) best.push_back(candidate);
    }
    // What is only begun is more probably meant than what looks similar.
    std::vector<std::string> longer;
    for (const std::string &candidate : words)
        if (word.size() > 3 && candidate.compare(0, word.size(), word) == 0) longer.push_back(candidate);
    if (!longer.empty() && least > 0) best = longer;
    if (best.size() > most_suggestions) best.resize(most_suggestions);
    return best;
}

}  // namespace cli
