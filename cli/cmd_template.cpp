// llm-cli template: shows a conversation as the prompt that a model's chat template makes of it.
#include "chat_prompt.h"
#include "template_source.h"
#include "text_io.h"
#include "token_table.h"

namespace cli {
namespace {

std::string read_request(const Options &options, const ChatPrompt &chat) {
    if (const auto text = options.value("prompt")) return chat.request_of_message(*text);
    const auto path = options.value("messages");
    if (path && *path != "-") return chat.request(read_file(*path));
    if (!path && stdin_is_terminal()) throw UsageError("no conversation was given");
    return chat.request(read_stdin());
}

void show_source(const llm_model *model, const Options &options) {
    const std::string name = options.value("template-name").value_or("default");
    const std::string source = template_source(model, name);
    if (options.has("json"))
        write_json({{"name", name}, {"source", source}});
    else
        write(shown(source));
}

void show_names(const llm_model *model, const Options &options) {
    const std::vector<std::string> names = template_names(model);
    if (options.has("json")) return write_json({{"templates", names}});
    for (const std::string &name : names) write(printable(name) + "\n");
}

Json prompt_json(const llm_model *model, const ChatPrompt &chat, const std::string &request) {
    Json object = {{"prompt", chat.render(model, request)}};
    object.update(id_json(model, chat.tokenize(model, request)));
    return object;
}

void add_options(Options &options) {
    options.add_model();
    options.add_message();
    options.add_value("messages", "FILE", "JSON: the messages, or a whole request; - is standard input, the default");
    options.exclude("prompt", "messages");
    options.add_flag("no-generation-prompt", "do not begin the assistant's turn");
    options.add_flag("ids", "only the token ids, in one line");
    options.add_flag("show-special", "the tokens, one in a line, with control tokens marked");
    options.add_flag("source", "show the template itself");
    options.add_flag("list", "show the names of the model's templates");
    options.add_flag("json", "one JSON object: the prompt and its tokens, or what --source and --list show");
    options.exclude("ids", "json");
    options.exclude("show-special", "json");
    ChatPrompt::add_options(options);
}

Options make_options() {
    Options options("template MODEL [TEXT] [options]",
                    "Shows the prompt that the model's chat template makes of a conversation, or of one message.");
    add_options(options);
    return options;
}

int run(const Options &options) {
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    const bool sources = options.has("source") || options.has("list");
    model_options.open = sources ? LLM_OPEN_METADATA : LLM_OPEN_VOCABULARY;
    const ChatPrompt chat(options);
    const std::string request = sources ? "" : read_request(options, chat);
    const Model model = options.open_model(model_options);
    if (options.has("source"))
        show_source(model.get(), options);
    else if (options.has("list"))
        show_names(model.get(), options);
    else if (options.has("json"))
        write_json(prompt_json(model.get(), chat, request));
    else if (options.has("ids"))
        write(id_list(chat.tokenize(model.get(), request)));
    else if (options.has("show-special"))
        write(id_table(model.get(), chat.tokenize(model.get(), request)));
    else
        write(chat.render(model.get(), request));
    return exit_ok;
}

}  // namespace

const Command cmd_template = {"template", "show the prompt that a conversation becomes", make_options, run};

}  // namespace cli
