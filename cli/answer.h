// What a model writes after a prompt: generated token by token, with the times that it took.
#pragma once

#include "options.h"

#include <functional>
#include <string>
#include <vector>

namespace cli {

// Tokens and seconds of one answer.
struct AnswerTimes {
    double prompt = 0, generation = 0;  // the first token comes with the prompt's evaluation
    std::size_t prompt_tokens = 0, reused_tokens = 0, generated_tokens = 0;

    double prompt_rate() const;  // tokens in a second
    double generation_rate() const;
};

struct Answer {
    std::string text;
    llm_finish_reason reason = LLM_FINISH_NONE;
    bool is_interrupted = false;
    AnswerTimes times;
};

// How to generate, as the command line says.
class Answering {
public:
    static void add_options(Options &options);

    // Throws UsageError.
    explicit Answering(const Options &options);

    llm_generation_options &generation() { return generation_; }
    const llm_generation_options &generation() const { return generation_; }
    const llm_context_options &context() const { return context_; }

    using Sink = std::function<void(const llm_chunk &)>;
    // Evaluates the prompt and generates; each chunk goes to the sink. Ctrl-C ends it, if it cancels the context.
    // LLM_ERROR_CONTEXT_FULL is thrown when the prompt itself does not fit.
    Answer answer(llm_context *context, llm_sampler *sampler, const std::vector<llm_token> &prompt,
                  const Sink &sink) const;

private:
    llm_context_options context_ = LLM_CONTEXT_OPTIONS_INIT;
    llm_generation_options generation_ = LLM_GENERATION_OPTIONS_INIT;
    std::vector<std::string> stops_;
    int prompt_threads_ = 0;  // 0 = as many as for everything
};

// Throws if the model is an encoder.
void check_generates(const llm_model *model);

// For people ("the model ended its text") and for programs ("end_token").
std::string finish_text(const Answer &answer);
std::string finish_word(const Answer &answer);

// Lines of times for people; load: seconds that loading took, negative where that is no news.
std::string times_text(const Answer &answer, double load, std::uint32_t seed);

}  // namespace cli
