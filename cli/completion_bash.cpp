// The completion script for bash. It needs no functions of the bash-completion package.
#include "completion.h"
#include "options.h"

#include <map>
#include <set>

namespace cli {
namespace {

std::string joined(const std::vector<std::string> &words, const char *separator) {
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : separator) + word;
    return text;
}

// "run)\n options='...'": the names of a command's options.
std::string options_case(const Command &command) {
    std::vector<std::string> names;
    const Options options = command.options();
    for (const Option &option : options.table()) names.insert(names.end(), option.names.begin(), option.names.end());
    return "        " + std::string(command.name) + ") options='" + joined(names, " ") + "' ;;\n";
}

// What follows an option: files, words, or something that nobody can guess.
std::string value_cases() {
    std::map<std::string, std::set<std::string>> by_reply;
    for (const Command *command : commands()) {
        const Options options = command->options();
        for (const Option &option : options.table()) {
            if (option.placeholder.empty()) continue;
            std::string reply = "return";
            if (option.placeholder == "FILE") reply = "_llm_cli_files; return";
            if (!option.choices.empty()) reply = "_llm_cli_words '" + joined(option.choices, " ") + "'; return";
            // One that may be bare can have another option behind it.
            if (option.may_be_bare) reply = "_llm_cli_words '" + joined(option.choices, " ") + "'";
            for (const std::string &name : option.names)
                by_reply[std::string(command->name) + ":" + name].insert(reply);
        }
    }
    std::map<std::string, std::vector<std::string>> patterns;
    for (const auto &[name, replies] : by_reply) patterns[*replies.begin()].push_back(name);
    std::string text;
    for (const auto &[reply, names] : patterns) text += "        " + joined(names, "|") + ") " + reply + " ;;\n";
    return text;
}

}  // namespace

std::string bash_completion() {
    std::vector<std::string> names;
    std::string cases;
    for (const Command *command : commands()) {
        names.emplace_back(command->name);
        cases += options_case(*command);
    }
    const std::string words = joined(names, " ");
    return "# bash completion of llm-cli, written by 'llm-cli completion bash'\n"
           "_llm_cli_files() {\n"
           "    compopt -o filenames\n"
           "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "}\n"
           "_llm_cli_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
           "_llm_cli() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
           "    local options=\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        _llm_cli_words '" +
           words +
           " help --help --version'\n"
           "        return\n"
           "    fi\n"
           "    case $command:$previous in\n"
           "        help:help) _llm_cli_words '" +
           words +
           "'; return ;;\n"
           "        completion:completion) _llm_cli_words 'bash zsh fish'; return ;;\n" +
           value_cases() +
           "    esac\n"
           "    case $command in\n" +
           cases +
           "    esac\n"
           "    if [[ $current == -* ]]; then\n"
           "        _llm_cli_words \"$options\"\n"
           "    elif ((${#COMPREPLY[@]} == 0)); then\n"
           "        _llm_cli_files\n"
           "    fi\n"
           "}\n"
           "complete -F _llm_cli llm-cli\n";
}

}  // namespace cli
