#include "base/error.h"

#include <cmath>
#include <cstdio>

namespace llm {

namespace detail {

void append(std::string &out, std::string_view text) { out.append(text); }

void append(std::string &out, double value) {
    char digits[32];
    const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
    std::snprintf(digits, sizeof digits, is_whole ? "%.0f" : "%.9g", value);
    out.append(digits);
}

}  // namespace detail

std::string quoted(std::string_view text) {
    constexpr size_t longest = 64;
    std::string out = "'";
    for (const unsigned char byte : text.substr(0, longest)) {
        if (byte >= 0x20 && byte < 0x7f && byte != '\\' && byte != '\'') {
            out.push_back(static_cast<char>(byte));
        } else {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%02x", byte);
            out.append(escape);
        }
    }
    out.append(text.size() > longest ? "...'" : "'");
    return out;
}

}  // namespace llm
