// Options of other programs that people type without thinking, and that mean nothing here.
#pragma once

#include <string>
#include <vector>

namespace cli {

// Takes such an option, and its value, off the front of the words. False if the first word is none.
bool take_foreign_option(std::vector<std::string> &words);

// Why an option of another program cannot be had here; "" for any other.
std::string refusal_of_foreign_option(const std::string &name);

}  // namespace cli
