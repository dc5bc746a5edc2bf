// llm-cli: finds the sub-command and turns what goes wrong into an exit status.
#include "json_output.h"
#include "nearest.h"
#include "options.h"
#include "text_io.h"

#include <csignal>
#include <new>

namespace cli {
namespace {

std::string overview() {
    std::string text = "Usage: llm-cli COMMAND [options]\n\nRuns large language models from GGUF files on the CPU.\n\n";
    for (const Command *command : commands()) {
        std::string name = command->name;
        name.resize(12, ' ');
        text += "  " + name + command->summary + "\n";
    }
    return text + "\n'llm-cli COMMAND --help' shows the options of a command.\n";
}

const Command &command_of(const std::string &name) {
    if (const Command *command = find_command(name)) return *command;
    std::vector<std::string> names;
    for (const Command *command : commands()) names.emplace_back(command->name);
    const std::vector<std::string> near = nearest_words(name, names);
    throw UsageError("there is no command '" + name + "'" +
                     (near.empty() ? "\n\n" + overview() : "; did you mean " + near.front() + "?"));
}

int run(const Command &command, const Arguments &words) {
    Options options = command.options();
    try {
        options.parse(words);
    } catch (const UsageError &error) {
        throw UsageError(error.what() + ("\n'llm-cli " + std::string(command.name) + " --help' shows its options"));
    }
    if (!options.has("help")) return command.run(options);
    write(options.help_text(help_width()));
    return exit_ok;
}

int dispatch(Arguments words) {
    if (words.empty()) throw UsageError("no command was given\n\n" + overview());
    const std::string name = words.front();
    words.erase(words.begin());
    if (name == "help" && !words.empty()) return run(command_of(words.front()), {"--help"});
    if (name == "help" || name == "--help" || name == "-h") {
        write(overview());
        return exit_ok;
    }
    if (name == "--version") return run(cmd_version, words);
    return run(command_of(name), words);
}

int exit_status(llm_status status) {
    switch (status) {
        case LLM_CANCELLED:
            return exit_interrupted;
        case LLM_ERROR_NO_MEMORY:
            return exit_memory;
        case LLM_ERROR_CONTEXT_FULL:
            return exit_context_full;
        case LLM_ERROR_IO:
        case LLM_ERROR_NOT_GGUF:
        case LLM_ERROR_TRUNCATED:
        case LLM_ERROR_MALFORMED:
        case LLM_ERROR_UNSUPPORTED:
        case LLM_ERROR_MODEL:
        case LLM_ERROR_VOCABULARY:
            return exit_model;
        default:
            return exit_error;
    }
}

int failed(const char *message, int exit_status) {
    report_error(message, nullptr, exit_status);
    return exit_status;
}

int guarded(const Arguments &words) {
    set_json_errors_if_asked(words);
    try {
        return dispatch(words);
    } catch (const ClosedPipe &) {
        return exit_closed_pipe;
    } catch (const UsageError &error) {
        return failed(error.what(), exit_usage);
    } catch (const ApiError &error) {
        const int status = exit_status(error.status());
        if (error.status() != LLM_CANCELLED) report_error(error.what(), llm_status_name(error.status()), status);
        return status;
    } catch (const std::bad_alloc &) {
        return failed("out of memory", exit_memory);
    } catch (const std::exception &error) {
        return failed(error.what(), exit_error);
    }
}

}  // namespace
}  // namespace cli

int main(int count, char **words) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
    if (count < 1) return cli::exit_usage;
    return cli::guarded({words + 1, words + count});
}
