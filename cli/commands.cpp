// The list of sub-commands.
#include "commands.h"

#include <algorithm>

namespace cli {

const std::vector<const Command *> &commands() {
    static const std::vector<const Command *> list = {
        &cmd_run,   &cmd_chat,       &cmd_embed,   &cmd_inspect,    &cmd_tokenize, &cmd_detokenize, &cmd_template,
        &cmd_bench, &cmd_perplexity, &cmd_compare, &cmd_completion, &cmd_manual,   &cmd_version,
    };
    return list;
}

const Command *find_command(const std::string &name) {
    const auto found = std::find_if(commands().begin(), commands().end(),
                                    [&](const Command *command) { return command->name == name; });
    return found == commands().end() ? nullptr : *found;
}

}  // namespace cli
