// llm-cli tokenize: shows a text as the model's tokens.
#include "options.h"
#include "text_io.h"
#include "token_table.h"

namespace cli {
namespace {

Options make_options() {
    Options options("tokenize MODEL [TEXT] [options]", "Shows a text as tokens, one in a line.");
    options.add_model();
    options.add_input_text();
    options.add_flag("no-special,no-bos", "add no begin and end tokens");
    options.add_flag("parse-special", "control tokens spelled in the text become those tokens");
    options.add_flag("no-parse-special", "they stay text, which is the default");
    options.add_flag("stdin", "read the text from standard input");
    options.add_flag("ids", "only the ids, in one line");
    options.add_flag("count", "only their number");
    options.add_flag("show-count", "their number, too");
    options.add_flag("json", "one JSON object");
    for (const char *form : {"ids", "count", "json"})
        for (const char *other : {"ids", "count", "json"})
            if (std::string_view(form) < other) options.exclude(form, other);
    options.exclude("parse-special", "no-parse-special");
    options.exclude("stdin", "prompt");
    options.exclude("stdin", "file");
    return options;
}

int run(const Options &options) {
    const std::string text = options.has("stdin") ? read_stdin() : options.input_text();
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    model_options.open = LLM_OPEN_VOCABULARY;
    const Model model = options.open_model(model_options);
    const std::uint32_t flags = (options.has("no-special") ? 0u : LLM_TOKENIZE_ADD_SPECIAL) |
                                (options.has("parse-special") ? LLM_TOKENIZE_PARSE_SPECIAL : 0u);
    const std::vector<llm_token> ids = tokenize(model.get(), text, flags);
    if (options.has("json"))
        write_json(id_json(model.get(), ids));
    else if (options.has("count"))
        write(std::to_string(ids.size()) + "\n");
    else if (options.has("ids"))
        write(id_list(ids));
    else
        write(id_table(model.get(), ids));
    if (options.has("show-count") && !options.has("json") && !options.has("count"))
        write("Total number of tokens: " + std::to_string(ids.size()) + "\n");
    return exit_ok;
}

}  // namespace

const Command cmd_tokenize = {"tokenize", "show a text as the model's tokens", make_options, run};

}  // namespace cli
