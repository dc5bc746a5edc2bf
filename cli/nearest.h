// What was meant by a word that was mistyped.
#pragma once

#include <string>
#include <vector>

namespace cli {

// Those of the words that are nearest to this one, if any is near at all.
std::vector<std::string> nearest_words(const std::string &word, const std::vector<std::string> &words);

}  // namespace cli
