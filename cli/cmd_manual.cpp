// llm-cli manual: the manual page, made of the tables of options.
#include "options.h"
#include "text_io.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

const char *const manual_date = "2026-11-30";  // of the last change of its own text

Options make_options() {
    return Options("manual", "Writes the manual page in the language of man: llm-cli manual | man -l -");
}

// Text for roff: a backslash and a dash mean themselves, and so does a dot or a quote at the begin of a line.
std::string roff(const std::string &text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return (out.empty() || (out[0] != '.' && out[0] != '\'') ? "" : "\\&") + out;
}

std::string paragraphs(const std::string &text) {
    std::string out;
    for (const std::string &paragraph : split(text, '\n'))
        if (!paragraph.empty()) out.append(out.empty() ? "" : ".PP\n").append(roff(paragraph)).append(1, '\n');
    return out;
}

std::string entry(const Option &option) {
    std::string names;
    for (const std::string &name : option.names) names.append(names.empty() ? "" : ", ").append(name);
    std::string value = roff(option.placeholder);
    if (!value.empty()) value = option.may_be_bare ? " [\\fI" + value + "\\fR]" : " \\fI" + value + "\\fR";
    return ".TP\n\\fB" + roff(names) + "\\fR" + value + "\n" + roff(option.help) + "\n";
}

// Options of a heading, which is the same in all commands that have it.
using Groups = std::map<std::string, std::vector<Option>>;

void collect(Groups &groups, const Option &option) {
    std::vector<Option> &list = groups[option.group];
    const bool is_known =
        std::any_of(list.begin(), list.end(), [&](const Option &known) { return known.key == option.key; });
    if (!is_known) list.push_back(option);
}

bool is_common(const Option &option) { return option.key == "help" || option.key == "color"; }

std::string command_section(const Command &command, Groups &groups) {
    const Options options = command.options();
    std::string text = ".SS \"llm\\-cli " + roff(options.usage()) + "\"\n" + paragraphs(options.summary());
    std::string others;
    for (const Option &option : options.table()) {
        if (is_common(option)) continue;
        if (option.group.empty()) text += entry(option);
        if (!option.group.empty()) collect(groups, option);
    }
    for (const std::string &heading : options.headings())
        if (!heading.empty()) others.append(others.empty() ? "" : ", ").append(heading);
    return others.empty() ? text : text + ".PP\nAlso the options below of: " + roff(others) + ".\n";
}

const char *const environment_text =
    ".SH ENVIRONMENT\n"
    "Each option has a variable, which counts unless the command line says otherwise: \\fB\\-\\-top\\-k\\fR is "
    "\\fBLLM_ARG_TOP_K\\fR. A flag's variable is 1 or 0. What neither says is as the model's file recommends, "
    "or the default. With \\fBLLM_ARG_MODEL\\fR the first argument is the model only if it ends in .gguf, or if all "
    "arguments are there.\n"
    ".TP\n\\fBLLM_CPU\\fR\nkernels to use: scalar, avx2, avx512 or auto\n"
    ".TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR\nno colour, or colour also where there is no terminal\n"
    ".TP\n\\fBXDG_STATE_HOME\\fR\nfolder below which chats keep the lines that were typed; else ~/.local/state\n"
    ".SH FILES\n"
    ".TP\n\\fI~/.local/state/libllm/chat_history\\fR\nlines that were typed in chats\n"
    ".TP\n\\fI~/.editrc\\fR\nkeys of the line editor, see editrc(5)\n"
    ".SH EXIT STATUS\n"
    ".TP\n0\nsuccess\n.TP\n1\nan error while running\n.TP\n2\nthe command line is wrong\n"
    ".TP\n3\nthe model cannot be read or is not supported\n.TP\n4\nnot enough memory\n"
    ".TP\n5\nthe text does not fit into the context\n.TP\n130\ninterrupted\n"
    ".TP\n141\nnobody reads the output any more\n";

int run(const Options &) {
    Groups groups;
    std::string sections;
    for (const Command *command : commands()) sections += command_section(*command, groups);
    std::string text = ".TH LLM\\-CLI 1 \"" + std::string(manual_date) +
                       "\" \"libllm " LLM_VERSION_STRING
                       "\" \"User commands\"\n"
                       ".SH NAME\nllm\\-cli \\- runs large language models from GGUF files on the CPU\n"
                       ".SH SYNOPSIS\n\\fBllm\\-cli\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
                       ".SH DESCRIPTION\n"
                       "The answer goes to standard output, everything else to standard error. The word behind an "
                       "option is its value; \\fB\\-\\-name=value\\fR is possible, too, and behind \\fB\\-\\-\\fR "
                       "nothing is an option any more.\n"
                       ".SH COMMANDS\n" +
                       sections + ".SH OPTIONS\n.SS \"All commands\"\n";
    const Options own = make_options();
    for (const Option &option : own.table())
        if (is_common(option)) text += entry(option);
    for (const auto &[heading, options] : groups) {
        text += ".SS \"" + roff(heading) + "\"\n";
        for (const Option &option : options) text += entry(option);
    }
    write(text + environment_text);
    return exit_ok;
}

}  // namespace

const Command cmd_manual = {"manual", "write the manual page", make_options, run};

}  // namespace cli
