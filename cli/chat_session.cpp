// A chat with a model.
#include "chat_session.h"

#include "interrupt.h"
#include "text_io.h"

namespace cli {
namespace {

// Without a template a model does not know where its answer ends.
constexpr const char *plain_answer_length = "256";

std::string named(const std::string &name) { return name.compare(0, 1, "-") == 0 ? name : "--" + name; }

std::string dashed(std::string name) {
    for (char &c : name)
        if (c == '_') c = '-';
    return name;
}

bool may_change(const Option &option) {
    return option.group == "Sampling" || option.group == "Generation" || option.key == "verbose";
}

bool is_off(const std::string &word) { return word == "off" || word == "0" || word == "no" || word == "false"; }

}  // namespace

void ChatSession::add_options(Options &options) {
    options.add_model();
    options.add_message();
    options.add_value("messages", "FILE", "go on with this conversation in JSON, as /save writes it");
    options.add_flag("raw", "continue texts as they are, without a chat template");
    ChatPrompt::add_options(options);
    Answering::add_options(options);
    Sampling::add_options(options);
}

ChatSession::ChatSession(const Options &options) : options_(options), chat_(options) {
    const Answering answering(options_);  // wrong values show before the model is opened
    Sampling(options_).make(nullptr);
    if (const auto path = options_.value("messages")) conversation_.load(*path);
    if (!chat_.system().empty()) conversation_.set_system(chat_.system());
    model_ = options_.open_model(LLM_MODEL_OPTIONS_INIT);
    check_generates(model_.get());
    context_ = new_context(model_.get(), answering.context());
    has_template_ = !options_.has("raw") && chat_.is_possible(model_.get());
    if (has_template_) return;
    if (!options_.has("raw")) note("llm-cli: no chat template: texts are continued as they are (as with --raw)");
    if (!options_.has("max-tokens")) options_.set("max-tokens", plain_answer_length);
}

ChatSession::Outcome ChatSession::say(const std::string &text) {
    conversation_.add("user", text);
    try {
        const Outcome outcome = answer();
        if (outcome == Outcome::refused) conversation_.pop();
        return outcome;
    } catch (const ApiError &) {
        if (conversation_.last_role() == "user") conversation_.pop();
        throw;
    }
}

ChatSession::Outcome ChatSession::regenerate() {
    if (conversation_.last_role() != "assistant") throw std::runtime_error("there is no answer to write again");
    const Conversation before = conversation_;
    conversation_.pop();
    try {
        const Outcome outcome = answer();
        if (conversation_.last_role() != "assistant") conversation_ = before;
        return outcome;
    } catch (const ApiError &) {
        conversation_ = before;
        throw;
    }
}

ChatSession::Outcome ChatSession::answer() {
    const std::vector<llm_token> ids = prompt();
    if (ids.size() > context_length()) {
        explain_full_context(ids.size());
        return Outcome::refused;
    }
    const Answer answer = generate(ids);
    if (!answer.text.empty() && (stdout_is_terminal() || answer.text.back() != '\n')) write("\n");
    if (answer.is_interrupted && answer.text.empty()) {
        // Two messages of the user in a row are more than many templates bear.
        if (conversation_.last_role() == "user") conversation_.pop();
        note("(stopped before the first word; the message was taken back)");
        return Outcome::stopped;
    }
    conversation_.add("assistant", answer.text);
    if (answer.reason == LLM_FINISH_CONTEXT_FULL) explain_full_context(context_length());
    return answer.is_interrupted ? Outcome::stopped : Outcome::answered;
}

Answer ChatSession::generate(const std::vector<llm_token> &ids) {
    Answering answering(options_);
    answering.generation().reuse_prefix = 1;
    const Sampler sampler = Sampling(options_).make(model_.get(), answers_++);
    for (;;) {
        catch_interrupts();
        const CancelOnInterrupt cancel(context_.get());
        const Answer answer = answering.answer(context_.get(), sampler.get(), ids, [](const llm_chunk &chunk) {
            write({chunk.text, chunk.text_length});
        });
        // Ctrl-C at the very end of an answer cancels the next one, which nobody wants.
        if (answer.is_interrupted && !interrupted()) continue;
        if (options_.has("verbose")) note(times_text(answer, -1, llm_sampler_seed(sampler.get())));
        return answer;
    }
}

std::vector<llm_token> ChatSession::prompt() const {
    if (has_template_) return chat_.tokenize(model_.get(), chat_.request(conversation_.json()));
    return tokenize(model_.get(), conversation_.plain_text(), LLM_TOKENIZE_ADD_SPECIAL);
}

void ChatSession::explain_full_context(std::size_t tokens) const {
    const std::uint32_t length = context_length();
    note(tokens > length ? "llm-cli: with this message the conversation has " + std::to_string(tokens) +
                               " tokens, and the context holds " + std::to_string(length) +
                               ": the message was not sent, what was said before is kept."
                         : "llm-cli: the context of " + std::to_string(length) +
                               " tokens is full: the answer ends here, and is kept.");
    note(
        "/save FILE keeps the conversation, for a chat with --messages FILE and more of --context-length; "
        "/clear begins a new one.");
}

std::uint32_t ChatSession::context_length() const {
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    check(llm_context_get_info(&info, context_.get()));
    return info.context_length;
}

void ChatSession::set(const std::string &name, const std::string &value) {
    if (name == "system") {
        conversation_.set_system(value);
        return;
    }
    const Option *option = options_.find(named(dashed(name)));
    if (!option || !may_change(*option))
        throw UsageError("'" + name +
                         "' cannot be changed here; the options of sampling and generation can, and system");
    if (value.empty()) throw UsageError("/set " + name + " needs a value");
    const Options before = options_;
    if (option->placeholder.empty() && is_off(value))
        options_.unset(option->key);
    else
        options_.set(option->key, value);
    if (option->key == "seed") answers_ = 0;
    try {
        const Answering answering(options_);
        Sampling(options_).make(nullptr);
    } catch (const UsageError &) {
        options_ = before;
        throw;
    }
}

std::string ChatSession::description() const {
    const llm_model_info info = model_info(model_.get());
    std::size_t used = 0;
    check(llm_sequence_length(&used, context_.get(), 0));
    std::string text = "model     " + printable(info.description) + "\ncontext   " + std::to_string(used) + " of " +
                       std::to_string(context_length()) + " tokens used\nmessages  " +
                       std::to_string(conversation_.size());
    if (!conversation_.system().empty()) text += "\nsystem    " + printable(conversation_.system());
    for (const Option &option : options_.table())
        if (const auto value = options_.value(option.key); value && may_change(option))
            text += "\n" + option.key + " " + (option.placeholder.empty() ? "on" : printable(*value));
    return text;
}

}  // namespace cli
