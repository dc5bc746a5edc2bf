// The sub-commands of llm-cli, and what they have in common: a command line in, an exit status out.
#pragma once

#include <string>
#include <vector>

namespace cli {

class Options;

using Arguments = std::vector<std::string>;

enum ExitStatus : int {
    exit_ok = 0,
    exit_error = 1,         // while running
    exit_usage = 2,         // the command line is wrong
    exit_model = 3,         // the model cannot be read or is not supported
    exit_memory = 4,        // not enough memory
    exit_context_full = 5,  // the text does not fit into the context
    exit_interrupted = 130,
    exit_closed_pipe = 141  // nobody reads the output any more
};

struct Command {
    const char *name;
    const char *summary;          // one line of the overview
    Options (*options)();         // what its command line takes: parser, help, completions and manual are made of it
    int (*run)(const Options &);  // with a command line that was parsed
};

extern const Command cmd_run, cmd_chat, cmd_embed, cmd_inspect, cmd_tokenize, cmd_detokenize, cmd_template, cmd_bench,
    cmd_perplexity, cmd_compare, cmd_completion, cmd_manual, cmd_version;

// All of them, in the order of the overview.
const std::vector<const Command *> &commands();
// nullptr if there is none of that name.
const Command *find_command(const std::string &name);

}  // namespace cli
