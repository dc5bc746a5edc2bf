// Colour on a terminal, by the conventions of no-color.org and bixense.com/clicolors.
#include "color.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace cli {
namespace {

std::string mode = "auto";

bool is_set(const char *variable) {
    const char *value = std::getenv(variable);
    return value && *value != '\0';
}

const char *sequence(Style style) {
    switch (style) {
        case Style::bold:
            return "\033[1m";
        case Style::red:
            return "\033[1;31m";
        case Style::green:
            return "\033[32m";
        case Style::cyan:
            return "\033[36m";
        default:
            return "\033[2m";
    }
}

}  // namespace

bool set_color(const std::string &word) {
    if (word != "on" && word != "off" && word != "auto") return false;
    mode = word;
    return true;
}

bool has_color(int descriptor) {
    if (mode != "auto") return mode == "on";
    if (is_set("NO_COLOR")) return false;
    if (const char *force = std::getenv("CLICOLOR_FORCE"); force && *force && std::string_view(force) != "0")
        return true;
    const char *terminal = std::getenv("TERM");
    return isatty(descriptor) != 0 && terminal && std::string_view(terminal) != "dumb";
}

std::string styled(const std::string &text, Style style, int descriptor) {
    return has_color(descriptor) ? sequence(style) + text + "\033[0m" : text;
}

}  // namespace cli
