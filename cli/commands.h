// The sub-commands of llm-cli, and what they have in common: arguments in, exit status out.
#pragma once

#include <string>
#include <vector>

namespace cli {

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

int cmd_run(const Arguments &arguments);
int cmd_inspect(const Arguments &arguments);
int cmd_embed(const Arguments &arguments);
int cmd_tokenize(const Arguments &arguments);
int cmd_template(const Arguments &arguments);
int cmd_bench(const Arguments &arguments);
int cmd_version(const Arguments &arguments);

}  // namespace cli
