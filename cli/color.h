// Colour on a terminal: when, and how.
#pragma once

#include <string>

namespace cli {

enum class Style { bold, red, green, cyan, dim };

// "on", "off" or "auto": on where a terminal is written to, unless NO_COLOR is set, and with CLICOLOR_FORCE everywhere.
// False for another word.
bool set_color(const std::string &word);

// The text with escape sequences around it, if the descriptor (1 = standard output, 2 = standard error) has colour.
std::string styled(const std::string &text, Style style, int descriptor);
bool has_color(int descriptor);

}  // namespace cli
