// llm-cli tokenize: shows a text as the model's tokens.
#include "options.h"
#include "text_io.h"
#include "token_table.h"

#include <nlohmann/json.hpp>

namespace cli {
namespace {

std::string id_json(const llm_model *model, const std::vector<llm_token> &ids) {
    nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
    for (const llm_token id : ids) tokens.push_back({{"id", id}, {"text", token_piece(model, id)}});
    const nlohmann::ordered_json object = {{"count", ids.size()}, {"tokens", tokens}};
    // A token may hold a part of a character, which JSON cannot express.
    return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Options make_options() {
    Options options("tokenize MODEL [TEXT] [options]", "Shows a text as tokens, one in a line.");
    options.add_model();
    options.add_input_text();
    options.add_flag("no-special,no-bos", "add no begin and end tokens");
    options.add_flag("parse-special", "control tokens spelled in the text become those tokens");
    options.add_flag("ids", "only the ids, in one line");
    options.add_flag("count", "only their number");
    options.add_flag("json", "one JSON object");
    return options;
}

int run(const Options &options) {
    const std::string text = options.input_text();
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    model_options.open = LLM_OPEN_VOCABULARY;
    const Model model = options.open_model(model_options);
    const std::uint32_t flags = (options.has("no-special") ? 0u : LLM_TOKENIZE_ADD_SPECIAL) |
                                (options.has("parse-special") ? LLM_TOKENIZE_PARSE_SPECIAL : 0u);
    const std::vector<llm_token> ids = tokenize(model.get(), text, flags);
    if (options.has("json"))
        write(id_json(model.get(), ids));
    else if (options.has("count"))
        write(std::to_string(ids.size()) + "\n");
    else if (options.has("ids"))
        write(id_list(ids));
    else
        write(id_table(model.get(), ids));
    return exit_ok;
}

}  // namespace

const Command cmd_tokenize = {"tokenize", "show a text as the model's tokens", make_options, run};

}  // namespace cli
