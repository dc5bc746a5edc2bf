// llm-cli template: shows a conversation as the prompt that a model's chat template makes of it.
#include "options.h"
#include "text_io.h"
#include "token_table.h"

#include <nlohmann/json.hpp>

namespace cli {
namespace {

constexpr const char *white_space = " \t\r\n";

// A conversation's file is a request, or the list of its messages. What the command line adds comes first, so that the
// file's own words count; its text is kept as it is, because numbers would not survive a second writer.
std::string request_of(const std::string &conversation, const std::string &members) {
    const std::size_t start = conversation.find_first_not_of(white_space);
    if (start == conversation.npos) throw UsageError("the conversation is empty");
    if (conversation[start] != '{') return "{" + members + "\"messages\": " + conversation + "}";
    const std::size_t first = conversation.find_first_not_of(white_space, start + 1);
    const bool empty = first == conversation.npos || conversation[first] == '}';
    return empty ? conversation : "{" + members + conversation.substr(start + 1);
}

// Members of the request, each with a comma behind it.
std::string members_of(const Options &options) {
    std::string members;
    if (const auto path = options.value("tools")) members += "\"tools\": " + read_file(*path) + ", ";
    if (const auto variables = options.value("variables")) members += "\"variables\": " + *variables + ", ";
    if (options.has("no-generation-prompt")) members += "\"add_generation_prompt\": false, ";
    return members;
}

std::string read_request(const Options &options) {
    const auto text = options.value("prompt");
    const auto path = options.value("messages");
    if (text && path) throw UsageError("a text and --messages exclude each other");
    std::string conversation;
    if (text) {
        const nlohmann::ordered_json message = {{"role", "user"}, {"content", *text}};
        const auto messages = nlohmann::ordered_json::array({message});
        conversation = messages.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    } else if (path && *path != "-") {
        conversation = read_file(*path);
    } else {
        if (!path && stdin_is_terminal()) throw UsageError("no conversation was given");
        conversation = read_stdin();
    }
    return request_of(conversation, members_of(options));
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

std::string render(const llm_model *model, const std::string &request, const llm_chat_options &chat) {
    return fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_chat_render(out, capacity, length, model, request.data(), request.size(), &chat);
    });
}

std::vector<llm_token> tokenize_chat(const llm_model *model, const std::string &request, const llm_chat_options &chat) {
    return fill<std::vector<llm_token>>([&](llm_token *out, std::size_t capacity, std::size_t *count) {
        return llm_chat_tokenize(out, capacity, count, model, request.data(), request.size(), &chat);
    });
}

void add_options(Options &options) {
    options.add_model();
    options.add_message();
    options.add_value("messages", "FILE", "JSON: the messages, or a whole request; - is standard input, the default");
    options.add_value("tools", "FILE", "JSON: the functions that the model may call");
    options.add_value("variables", "JSON", "an object with further variables of the template");
    options.add_flag("no-generation-prompt", "do not begin the assistant's turn");
    options.add_value("template-file,chat-template-file", "FILE", "use this template instead of the model's");
    options.add_value("template-name", "NAME", "use the model's template of that name");
    options.add_table(LLM_OPTIONS_CHAT);
    options.add_value("now", "SECONDS", "what the template takes for the time, since 1970");
    options.add_flag("ids", "only the token ids, in one line");
    options.add_flag("show-special", "the tokens, one in a line, with control tokens marked");
    options.add_flag("source", "show the template itself");
    options.add_flag("list", "show the names of the model's templates");
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
    const std::string request = sources ? "" : read_request(options);
    const Model model = options.open_model(model_options);
    if (sources) {
        show_sources(model.get(), options);
        return exit_ok;
    }
    llm_chat_options chat = LLM_CHAT_OPTIONS_INIT;
    options.apply(chat);
    const auto file = options.value("template-file"), name = options.value("template-name");
    const std::string source = file ? read_file(*file) : "";
    if (file) chat.template_text = source.data(), chat.template_length = source.size();
    if (name) chat.template_name = name->c_str();
    if (options.has("now")) chat.now = options.integer("now", 0, 0, 253402214400);
    if (options.has("ids"))
        write(id_list(tokenize_chat(model.get(), request, chat)));
    else if (options.has("show-special"))
        write(id_table(model.get(), tokenize_chat(model.get(), request, chat), true));
    else
        write(render(model.get(), request, chat));
    return exit_ok;
}

}  // namespace

const Command cmd_template = {"template", "show the prompt that a conversation becomes", make_options, run};

}  // namespace cli
