// The prompt that a conversation becomes through the model's chat template.
#include "chat_prompt.h"

#include "json_output.h"
#include "text_io.h"

namespace cli {
namespace {

constexpr const char *white_space = " \t\r\n";
constexpr long latest_time = 253402214400;  // the last day of the year 9999

// Options that mean nothing without a template.
const char *const template_needs[] = {
    "system", "system-file", "tools", "chat-template", "template-name", "chat-template-kwargs", "chat-template-file"};

bool has_template(const llm_model *model, const char *name) {
    std::size_t length = 0;
    const llm_status status = llm_chat_template(nullptr, 0, &length, model, name);
    if (status == LLM_ERROR_NOT_FOUND) return false;
    if (status != LLM_BUFFER_TOO_SMALL) check(status);
    return true;
}

bool are_templates_built() { return Json::parse(fill<std::string>(llm_system_info)).value("chat_templates", false); }

// A JSON file's text, which has to be of the kind; a wrong one is better found before the model is loaded.
std::string json_of(const std::string &option, const std::string &text, const std::string &kind) {
    const Json json = parsed_json(text);
    if (kind == "list" ? json.is_array() : json.is_object()) return text;
    throw UsageError("--" + option + ": this is no JSON " + kind);
}

}  // namespace

void ChatPrompt::add_options(Options &options) {
    options.begin_group("Chat template");
    options.add_value("system,system-prompt,-sys", "TEXT", "a message of the system, before all others");
    options.add_value("system-file,system-prompt-file,-sysf", "FILE", "the same from a file");
    options.exclude("system", "system-file");
    options.exclude("system", "messages");
    options.exclude("system-file", "messages");
    options.add_value("tools", "FILE", "JSON: the functions that the model may call");
    options.add_value("chat-template", "TEXT", "use this template, or the model's of this name");
    options.add_value("chat-template-file,template-file", "FILE", "use this template instead of the model's");
    options.add_value("template-name", "NAME", "use the model's template of that name");
    options.exclude("chat-template", "chat-template-file");
    options.exclude("chat-template", "template-name");
    options.add_value("chat-template-kwargs,variables", "JSON", "an object with further variables of the template");
    options.add_table(LLM_OPTIONS_CHAT);
    options.add_value("now", "SECONDS", "what the template takes for the time, since 1970");
    options.begin_group("");
    for (const char *name : template_needs) options.exclude("raw", name);
}

ChatPrompt::ChatPrompt(const Options &options) {
    options.apply(chat_);
    if (options.has("now")) chat_.now = options.integer("now", 0, 0, latest_time);
    if (const auto path = options.value("system-file"))
        system_ = read_file(*path);
    else
        system_ = options.value("system").value_or("");
    if (const auto path = options.value("chat-template-file")) template_ = read_file(*path);
    for (const char *name : {"chat-template", "template-name"})
        if (const auto text = options.value(name)) template_ = *text, template_may_be_name_ = true;
    if (options.has("chat-template") && template_.find('{') != template_.npos) template_may_be_name_ = false;
    if (const auto path = options.value("tools"))
        members_ += "\"tools\": " + json_of("tools", read_file(*path), "list") + ", ";
    if (const auto variables = options.value("chat-template-kwargs"))
        members_ += "\"variables\": " + json_of("chat-template-kwargs", *variables, "object") + ", ";
    if (options.has("no-generation-prompt")) members_ += "\"add_generation_prompt\": false, ";
    for (const char *name :
         {"system", "system-file", "tools", "chat-template", "template-name", "chat-template-kwargs"})
        if (options.has(name)) needing_ = std::string("--") + name;
}

bool ChatPrompt::is_possible(const llm_model *model) const {
    return are_templates_built() && ((!template_.empty() && !template_may_be_name_) || has_template(model, nullptr) ||
                                     (template_may_be_name_ && has_template(model, template_.c_str())));
}

std::string ChatPrompt::needs_template() const { return needing_; }

std::string ChatPrompt::request(const std::string &conversation) const {
    const std::size_t start = conversation.find_first_not_of(white_space);
    if (start == conversation.npos) throw UsageError("the conversation is empty");
    if (conversation[start] != '{') return "{" + members_ + "\"messages\": " + conversation + "}";
    const std::size_t first = conversation.find_first_not_of(white_space, start + 1);
    const bool empty = first == conversation.npos || conversation[first] == '}';
    return empty ? conversation : "{" + members_ + conversation.substr(start + 1);
}

std::string ChatPrompt::request_of_message(const std::string &text) const {
    std::vector<std::pair<std::string, std::string>> messages;
    if (!system_.empty()) messages.emplace_back("system", system_);
    messages.emplace_back("user", text);
    return request(message_list(messages));
}

llm_chat_options ChatPrompt::chat_options(const llm_model *model) const {
    llm_chat_options options = chat_;
    if (template_may_be_name_ && !has_template(model, template_.c_str()))
        throw UsageError("the model has no chat template named '" + template_ + "'");
    if (template_may_be_name_)
        options.template_name = template_.c_str();
    else if (!template_.empty())
        options.template_text = template_.data(), options.template_length = template_.size();
    return options;
}

std::string ChatPrompt::render(const llm_model *model, const std::string &request) const {
    const llm_chat_options options = chat_options(model);
    return fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_chat_render(out, capacity, length, model, request.data(), request.size(), &options);
    });
}

std::vector<llm_token> ChatPrompt::tokenize(const llm_model *model, const std::string &request) const {
    const llm_chat_options options = chat_options(model);
    return fill<std::vector<llm_token>>([&](llm_token *out, std::size_t capacity, std::size_t *count) {
        return llm_chat_tokenize(out, capacity, count, model, request.data(), request.size(), &options);
    });
}

std::string message_list(const std::vector<std::pair<std::string, std::string>> &roles_and_texts) {
    Json messages = Json::array();
    for (const auto &[role, text] : roles_and_texts) messages.push_back({{"role", role}, {"content", text}});
    return json_text(messages);
}

}  // namespace cli
