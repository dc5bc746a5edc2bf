// llm-cli completion: scripts with which shells complete its command line, made of the tables of options.
#include "completion.h"
#include "options.h"
#include "text_io.h"

namespace cli {
namespace {

struct Shell {
    const char *name;
    std::string (*script)();
};

const Shell shells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

Options make_options() {
    Options options("completion bash|zsh|fish",
                    "Writes the script with which a shell completes the command line: "
                    "source <(llm-cli completion bash)");
    options.add_argument("shell", "bash|zsh|fish", "the shell");
    return options;
}

int run(const Options &options) {
    const auto name = options.value("shell");
    if (!name) throw UsageError("which shell? bash, zsh or fish");
    for (const Shell &shell : shells) {
        if (*name != shell.name) continue;
        write(shell.script());
        return exit_ok;
    }
    throw UsageError("there is no completion for '" + *name + "': it must be bash, zsh or fish");
}

}  // namespace

const Command cmd_completion = {"completion", "write a shell's completion script", make_options, run};

}  // namespace cli
