// llm-cli: finds the sub-command and turns what goes wrong into an exit status.
#include "json_output.h"
#include "options.h"
#include "text_io.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace cli {
namespace {

struct Command {
    const char *name;
    const char *summary;
    int (*function)(const Arguments &);
};

const Command commands[] = {
    {"run", "continue a text with a model", cmd_run},
    {"embed", "show the embedding of a text", cmd_embed},
    {"inspect", "show what a model file holds and whether it can be run", cmd_inspect},
    {"tokenize", "show a text as the model's tokens", cmd_tokenize},
    {"template", "show the prompt that a conversation becomes", cmd_template},
    {"bench", "measure the speed of prompt and generation", cmd_bench},
    {"version", "show version and processor", cmd_version},
};

std::string overview() {
    std::string text = "Usage: llm-cli COMMAND [options]\n\nRuns large language models from GGUF files on the CPU.\n\n";
    for (const Command &command : commands) {
        std::string name = command.name;
        name.resize(12, ' ');
        text += "  " + name + command.summary + "\n";
    }
    return text + "\n'llm-cli COMMAND --help' shows the options of a command.\n";
}

int dispatch(Arguments words) {
    if (words.empty()) throw UsageError("no command was given\n\n" + overview());
    const std::string name = words.front();
    words.erase(words.begin());
    if (name == "help" && !words.empty()) return dispatch({words.front(), "--help"});
    if (name == "help" || name == "--help" || name == "-h") {
        write(overview());
        return exit_ok;
    }
    if (name == "--version") return cmd_version(words);
    const auto command = std::find_if(std::begin(commands), std::end(commands),
                                      [&](const Command &candidate) { return candidate.name == name; });
    if (command == std::end(commands)) throw UsageError("there is no command '" + name + "'\n\n" + overview());
    return command->function(words);
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

int main(int count, char **words) { return cli::guarded({words + 1, words + count}); }
