// llm-cli run: answers a message, or continues a text, and streams what the model writes.
#include "answer.h"
#include "chat_prompt.h"
#include "interrupt.h"
#include "json_output.h"
#include "log.h"
#include "sampling.h"
#include "text_io.h"

#include <chrono>

namespace cli {
namespace {

constexpr long most_logprobs = 1000;

Options make_options() {
    Options options("run MODEL [PROMPT] [options]",
                    "Answers a message through the model's chat template, or with --raw continues a text. What the "
                    "model writes goes to standard output, everything else to standard error.");
    options.add_model();
    options.add_input_text();
    options.add_value("messages", "FILE", "answer this conversation in JSON: the messages, or a whole request");
    options.exclude("prompt", "messages");
    options.exclude("file", "messages");
    options.exclude("raw", "messages");
    options.add_flag("raw,-no-cnv,no-conversation", "continue the text as it is, without a chat template");
    options.add_flag("parse-special", "control tokens spelled in the prompt become those tokens");
    options.add_flag("escape,e", "\\n, \\t, \\\" and \\\\ in --prompt stand for one character");
    options.add_flag("display-prompt", "write the prompt, too");
    options.add_flag("json", "one JSON object at the end");
    options.add_flag("jsonl", "a JSON object for each token, and one at the end");
    options.exclude("json", "jsonl");
    options.add_value("logprobs", "N", "with --jsonl, that many of the most probable tokens each time");
    add_log_options(options);
    ChatPrompt::add_options(options);
    Answering::add_options(options);
    Sampling::add_options(options);
    return options;
}

std::string unescaped(const std::string &text) {
    const std::string letters = "nt\"\\", meanings = "\n\t\"\\";
    std::string out;
    for (std::size_t i = 0; i < text.size(); i++) {
        const std::size_t found = text[i] == '\\' && i + 1 < text.size() ? letters.find(text[i + 1]) : text.npos;
        out += found == text.npos ? text[i] : meanings[found];
        if (found != text.npos) i++;
    }
    return out;
}

std::string prompt_text(const Options &options) {
    const std::string text = options.input_text();
    return options.has("escape") && options.has("prompt") ? unescaped(text) : text;
}

struct Prompt {
    std::string text;
    std::vector<llm_token> ids;
};

// The prompt as the model gets it: of a conversation, or the plain text.
class PromptMaker {
public:
    explicit PromptMaker(const Options &options) : options_(options), chat_(options), is_raw_(options.has("raw")) {
        if (const auto path = options.value("messages"))
            request_ = chat_.request(*path == "-" ? read_stdin() : read_file(*path));
        else
            text_ = prompt_text(options);
        if (options.has("parse-special")) chat_.switch_guard_off();
    }

    Prompt make(const llm_model *model) const {
        if (!is_raw_ && chat_.is_possible(model)) {
            const std::string request = request_.empty() ? chat_.request_of_message(text_) : request_;
            const bool is_shown = options_.has("display-prompt");
            return {is_shown ? chat_.render(model, request) : "", chat_.tokenize(model, request)};
        }
        const std::string needing = request_.empty() ? chat_.needs_template() : "--messages";
        if (!needing.empty())
            throw std::runtime_error(needing + " needs a chat template, and there is none in this model or build");
        if (!is_raw_) note("llm-cli: no chat template: the text is continued as it is (as with --raw)");
        const std::uint32_t special = options_.has("parse-special") ? LLM_TOKENIZE_PARSE_SPECIAL : 0u;
        return {text_, tokenize(model, text_, LLM_TOKENIZE_ADD_SPECIAL | special)};
    }

private:
    const Options &options_;
    ChatPrompt chat_;
    std::string request_, text_;
    bool is_raw_;
};

Json logprobs_json(const llm_model *model, const llm_chunk &chunk) {
    Json list = Json::array();
    for (std::size_t i = 0; i < chunk.top_count; i++)
        list.push_back({{"token", chunk.top[i].token},
                        {"text", token_piece(model, chunk.top[i].token)},
                        {"logprob", chunk.top[i].logprob}});
    return list;
}

// Each token as it comes: text, or an object.
Answering::Sink sink_of(const Options &options, const llm_model *model) {
    if (options.has("json")) return [](const llm_chunk &) {};
    if (!options.has("jsonl")) return [](const llm_chunk &chunk) { write({chunk.text, chunk.text_length}); };
    return [model, has_logprobs = options.has("logprobs")](const llm_chunk &chunk) {
        Json event = {{"text", std::string(chunk.text, chunk.text_length)}, {"token", chunk.token}};
        if (has_logprobs) event["logprob"] = chunk.logprob;
        if (has_logprobs) event["top"] = logprobs_json(model, chunk);
        write_json(event);
    };
}

void write_summary(const Options &options, const Answer &answer, double load, std::uint32_t seed) {
    const AnswerTimes &times = answer.times;
    Json object = Json::object();
    if (options.has("json")) object["text"] = answer.text;
    object.update({{"finish_reason", finish_word(answer)},
                   {"prompt_tokens", times.prompt_tokens},
                   {"generated_tokens", times.generated_tokens},
                   {"seed", seed},
                   {"load_seconds", load},
                   {"prompt_seconds", times.prompt},
                   {"prompt_tokens_per_second", times.prompt_rate()},
                   {"generation_seconds", times.generation},
                   {"generation_tokens_per_second", times.generation_rate()}});
    write_json(object);
}

int exit_status_of(const Answer &answer, const Answering &answering) {
    if (answer.is_interrupted) return exit_interrupted;
    // Without a number of tokens to reach, to fill the context is what was asked for.
    if (answer.reason != LLM_FINISH_CONTEXT_FULL || answering.generation().max_tokens == 0) return exit_ok;
    note("llm-cli: the context is full before the number of tokens was reached; --context-length makes it larger");
    return exit_context_full;
}

int run(const Options &options) {
    const PromptMaker maker(options);
    Answering answering(options);
    answering.generation().logprobs = static_cast<int>(options.integer("logprobs", 0, 0, most_logprobs));
    const Sampling sampling(options);
    sampling.make(nullptr);
    start_log(options);

    catch_interrupts();
    const auto begin = std::chrono::steady_clock::now();
    const Model model = options.open_model(LLM_MODEL_OPTIONS_INIT);
    check_generates(model.get());
    const Context context = new_context(model.get(), answering.context());
    const CancelOnInterrupt cancel(context.get());
    const Sampler sampler = sampling.make(model.get());
    const std::chrono::duration<double> load = std::chrono::steady_clock::now() - begin;

    const Prompt prompt = maker.make(model.get());
    const bool is_text = !options.has("json") && !options.has("jsonl");
    if (is_text && options.has("display-prompt")) write(prompt.text);
    const Answer answer = answering.answer(context.get(), sampler.get(), prompt.ids, sink_of(options, model.get()));
    const std::uint32_t seed = llm_sampler_seed(sampler.get());
    if (!is_text)
        write_summary(options, answer, load.count(), seed);
    else if (stdout_is_terminal() && !answer.text.empty() && answer.text.back() != '\n')
        write("\n");
    if (options.has("verbose")) {
        note("");
        note(times_text(answer, load.count(), seed));
    }
    return exit_status_of(answer, answering);
}

}  // namespace

const Command cmd_run = {"run", "answer a message, or continue a text", make_options, run};

}  // namespace cli
