// The completion script for fish.
#include "completion.h"
#include "options.h"

namespace cli {
namespace {

std::string quoted(const std::string &text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

// "-s" for "-t", "-o" for "-ctk", "-l" for "--threads".
std::string name_of(const std::string &name) {
    if (name.compare(0, 2, "--") == 0) return " -l " + name.substr(2);
    return (name.size() == 2 ? " -s " : " -o ") + name.substr(1);
}

std::string line_of(const Command &command, const Option &option) {
    std::string text = "complete -c llm-cli -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    for (const std::string &name : option.names) text += name_of(name);
    if (!option.placeholder.empty() && !option.may_be_bare) text += option.placeholder == "FILE" ? " -r -F" : " -x";
    if (!option.choices.empty()) {
        std::string words;
        for (const std::string &word : option.choices) words += (words.empty() ? "" : " ") + word;
        text += " -a " + quoted(words);
    }
    return text + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion() {
    std::string names, text;
    for (const Command *command : commands()) names.append(names.empty() ? "" : " ").append(command->name);
    for (const Command *command : commands()) {
        text += "complete -c llm-cli -f -n 'not __fish_seen_subcommand_from " + names + "' -a " + command->name +
                " -d " + quoted(command->summary) + "\n";
        const Options options = command->options();
        for (const Option &option : options.table()) text += line_of(*command, option);
    }
    return "# fish completion of llm-cli, written by 'llm-cli completion fish'\n" + text +
           "complete -c llm-cli -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace cli
