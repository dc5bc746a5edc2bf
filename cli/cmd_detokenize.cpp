// llm-cli detokenize: shows token ids as the text that they stand for.
#include "json_output.h"
#include "options.h"
#include "text_io.h"
#include "token_table.h"

#include <charconv>

namespace cli {
namespace {

constexpr std::string_view separators = " \t\r\n,[]";

llm_token id_of(std::string_view word) {
    llm_token id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size() || id < 0)
        throw UsageError("'" + printable(word.substr(0, 32)) + "' is no token id");
    return id;
}

// Numbers with anything of `separators` between them, so that lists of all kinds are understood.
std::vector<llm_token> read_ids(std::string_view text) {
    std::vector<llm_token> ids;
    for (;;) {
        const std::size_t begin = text.find_first_not_of(separators);
        if (begin == text.npos) return ids;
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        ids.push_back(id_of(text.substr(begin, end - begin)));
        text.remove_prefix(end);
    }
}

std::string input_of(const Options &options) {
    if (const auto path = options.value("file")) return *path == "-" ? read_stdin() : read_file(*path);
    std::string text;
    for (const std::string &word : options.values("tokens")) text += word + " ";
    if (options.has("tokens") && text != "- ") return text;
    if (!options.has("tokens") && stdin_is_terminal()) throw UsageError("no token ids were given");
    return read_stdin();
}

Options make_options() {
    Options options("detokenize MODEL [ID...] [options]",
                    "Shows the text that token ids stand for: 1 2 3 or [1, 2, 3], as arguments, from a file or from "
                    "standard input.");
    options.add_model();
    options.add_rest("tokens", "ID", "token ids; - reads them from standard input");
    options.add_value("file,f", "FILE", "read the ids from a file");
    options.add_flag("special,-sp", "write control tokens as they are spelled; without it they give no text");
    options.add_flag("pieces", "the tokens, one in a line");
    options.add_flag("json", "one JSON object");
    options.exclude("tokens", "file");
    options.exclude("pieces", "json");
    return options;
}

int run(const Options &options) {
    const std::vector<llm_token> ids = read_ids(input_of(options));
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    model_options.open = LLM_OPEN_VOCABULARY;
    const Model model = options.open_model(model_options);
    if (options.has("pieces")) {
        write(id_table(model.get(), ids));
        return exit_ok;
    }
    const std::uint32_t flags = options.has("special") ? LLM_DETOKENIZE_SPECIAL : 0u;
    const std::string text = fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_detokenize(out, capacity, length, model.get(), ids.data(), ids.size(), flags);
    });
    if (options.has("json")) {
        write_json({{"count", ids.size()}, {"text", text}, {"bytes", text.size()}});
        return exit_ok;
    }
    write(text);
    if (stdout_is_terminal() && (text.empty() || text.back() != '\n')) write("\n");
    return exit_ok;
}

}  // namespace

const Command cmd_detokenize = {"detokenize", "show token ids as text", make_options, run};

}  // namespace cli
