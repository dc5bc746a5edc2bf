// The completion script for zsh.
#include "completion.h"
#include "options.h"

namespace cli {
namespace {

// Help as _arguments takes it: its own characters and quotes lose their meaning.
std::string escaped(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            out.append(1, '\\').append(1, c);
        else
            out += c;
    }
    return out;
}

std::string value_of(const Option &option) {
    if (option.placeholder.empty()) return "";
    std::string text = option.may_be_bare ? "::" : ":";
    text += option.choices.empty() ? escaped(option.placeholder) : option.key;
    if (option.placeholder == "FILE") return text + ":_files";
    if (option.choices.empty()) return text + ": ";
    text += ":(";
    for (const std::string &word : option.choices) text += (text.back() == '(' ? "" : " ") + word;
    return text + ")";
}

std::string command_case(const Command &command) {
    std::string text(16, ' ');
    text.append(command.name).append(") _arguments");
    const Options options = command.options();
    for (const Option &option : options.table())
        for (const std::string &name : option.names)
            text += " \\\n                    '*" + name + "[" + escaped(option.help) + "]" + value_of(option) + "'";
    const bool is_shell = std::string(command.name) == "completion";
    return text + " \\\n                    '*:" + (is_shell ? "shell:(bash zsh fish)" : "file:_files") + "' ;;\n";
}

}  // namespace

std::string zsh_completion() {
    std::string names, cases;
    for (const Command *command : commands()) {
        names.append(16, ' ')
            .append("'")
            .append(command->name)
            .append(":")
            .append(escaped(command->summary))
            .append("'\n");
        cases += command_case(*command);
    }
    return "#compdef llm-cli\n"
           "# zsh completion of llm-cli, written by 'llm-cli completion zsh'\n"
           "_llm_cli() {\n"
           "    local curcontext=$curcontext state line\n"
           "    local -A opt_args\n"
           "    _arguments -C '1:command:->command' '*::argument:->argument'\n"
           "    case $state in\n"
           "        command)\n"
           "            local -a names=(\n" +
           names +
           "            )\n"
           "            _describe command names ;;\n"
           "        argument)\n"
           "            case $line[1] in\n" +
           cases +
           "            esac ;;\n"
           "    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _llm_cli || $funcstack[1] == _llm-cli ]]; then\n"
           "    _llm_cli \"$@\"\n"
           "else\n"
           "    compdef _llm_cli llm-cli\n"
           "fi\n";
}

}  // namespace cli
