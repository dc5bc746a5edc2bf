// llm-cli template: shows a conversation as the prompt that a model's chat template makes of it.
#include "chat_prompt.h"
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

void show_sources(const llm_model *model, const Options &options) {
    if (options.has("source")) {
        const auto name = options.value("template-name");
        write(fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
            return llm_chat_template(out, capacity, length, model, name ? name->c_str() : nullptr);
        }));
        return;
    }
    for (std::size_t index = 0;; index++) {
        char name[256];
        std::size_t length = 0;
        const llm_status status = llm_chat_template_name(name, sizeof name, &length, model, index);
        if (status == LLM_ERROR_NOT_FOUND) return;
        check(status);
        write(std::string(name, length) + "\n");
    }
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
    if (sources)
        show_sources(model.get(), options);
    else if (options.has("ids"))
        write(id_list(chat.tokenize(model.get(), request)));
    else if (options.has("show-special"))
        write(id_table(model.get(), chat.tokenize(model.get(), request), true));
    else
        write(chat.render(model.get(), request));
    return exit_ok;
}

}  // namespace

const Command cmd_template = {"template", "show the prompt that a conversation becomes", make_options, run};

}  // namespace cli
