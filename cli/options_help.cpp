// The help text of a sub-command.
#include "options.h"

#include <algorithm>

namespace cli {
namespace {

constexpr std::size_t help_column = 30;
constexpr std::size_t least_help_width = 24;

// "-n, --max-tokens, --n-predict N"
std::string spellings_of(const Option &option) {
    std::string text;
    for (const std::string &name : option.names) text += (text.empty() ? "" : ", ") + name;
    if (option.placeholder.empty()) return text;
    text += option.may_be_bare ? " [" : " ";
    text += option.placeholder;
    return option.may_be_bare ? text + "]" : text;
}

// The text broken between words into lines of the width, each but the first with so many spaces before it.
std::string wrapped(const std::string &text, std::size_t indent, std::size_t width) {
    std::string out, line;
    for (const std::string &word : split(text, ' ')) {
        if (!line.empty() && line.size() + 1 + word.size() > width) {
            out.append(line).append(1, '\n').append(indent, ' ');
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    return out + line;
}

std::string row(const Option &option, std::size_t width) {
    std::string text(2, ' ');
    text += spellings_of(option);
    if (text.size() + 2 > help_column)
        text.append(1, '\n').append(help_column, ' ');
    else
        text.resize(help_column, ' ');
    const std::size_t help_width = std::max(width, help_column + least_help_width) - help_column;
    return text + wrapped(option.help, help_column, help_width) + "\n";
}

}  // namespace

std::string Options::help_text(std::size_t width) const {
    std::string text = "Usage: llm-cli " + usage_ + "\n";
    for (const std::string &paragraph : split(summary_, '\n'))
        text.append(1, '\n').append(wrapped(paragraph, 0, width)).append(1, '\n');
    for (const std::string &heading : headings()) {
        text.append(1, '\n').append(heading.empty() ? "Options" : heading).append(":\n");
        for (const Option &option : table_)
            if (option.group == heading) text += row(option, width);
    }
    return text + "\nEach option has an environment variable, too: --top-k is LLM_ARG_TOP_K.\n";
}

std::vector<std::string> Options::headings() const {
    std::vector<std::string> list;
    for (const Option &option : table_)
        if (std::find(list.begin(), list.end(), option.group) == list.end()) list.push_back(option.group);
    return list;
}

}  // namespace cli
