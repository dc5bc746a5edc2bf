// Completion scripts for shells.
#pragma once

#include <string>

namespace cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace cli
