// What a model writes after a prompt.
#include "answer.h"

#include <chrono>
#include <cstdio>

namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr long most_threads = 1024;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double rate(std::size_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0.0; }

struct FinishWords {
    const char *word, *text;
};

FinishWords finish_words(const Answer &answer) {
    if (answer.is_interrupted) return {"interrupted", "interrupted"};
    switch (answer.reason) {
        case LLM_FINISH_END_TOKEN:
            return {"end_token", "the model ended its text"};
        case LLM_FINISH_STOP:
            return {"stop", "a stop text was found"};
        case LLM_FINISH_LENGTH:
            return {"length", "the number of tokens was reached"};
        case LLM_FINISH_CONTEXT_FULL:
            return {"context_full", "the context is full"};
        default:
            return {"none", "stopped"};
    }
}

}  // namespace

double AnswerTimes::prompt_rate() const { return rate(prompt_tokens - reused_tokens, prompt); }

double AnswerTimes::generation_rate() const {
    return rate(generated_tokens > 0 ? generated_tokens - 1 : 0, generation);
}

void Answering::add_options(Options &options) {
    options.add_weights();
    options.begin_group("Model and context");
    options.add_value("threads-batch,-tb", "N", "threads that compute the prompt; 0 = as --threads (default 0)");
    options.begin_group("Generation");
    options.add_table(LLM_OPTIONS_GENERATION);
    options.add_value("reverse-prompt,stop,r", "TEXT", "stop before this text; may be repeated");
    options.begin_group("");
}

Answering::Answering(const Options &options) : stops_(options.values("reverse-prompt")) {
    options.apply(context_);
    options.apply(generation_);
    prompt_threads_ = static_cast<int>(options.integer("threads-batch", 0, 0, most_threads));
}

Answer Answering::answer(llm_context *context, llm_sampler *sampler, const std::vector<llm_token> &prompt,
                         const Sink &sink) const {
    std::vector<const char *> texts;
    std::vector<std::size_t> lengths;
    for (const std::string &stop : stops_) {
        texts.push_back(stop.data());
        lengths.push_back(stop.size());
    }
    llm_generation_options options = generation_;
    options.stops = texts.data();
    options.stop_lengths = lengths.data();
    options.stop_count = texts.size();
    llm_generation *started = nullptr;
    check(llm_generation_start(&started, context, sampler, prompt.data(), prompt.size(), &options));
    const Generation generation(started);

    Answer answer;
    answer.times.prompt_tokens = prompt.size();
    if (options.reuse_prefix != 0) check(llm_sequence_length(&answer.times.reused_tokens, context, options.sequence));
    if (prompt_threads_ != 0) check(llm_context_set_threads(context, prompt_threads_));
    llm_chunk chunk = LLM_CHUNK_INIT;
    auto begin = Clock::now();
    llm_status status;
    while ((status = llm_generation_next(&chunk, generation.get())) == LLM_OK) {
        if (answer.times.generated_tokens++ == 0) {
            answer.times.prompt = seconds_since(begin);
            begin = Clock::now();
            if (prompt_threads_ != 0) check(llm_context_set_threads(context, context_.threads));
        }
        answer.text.append(chunk.text, chunk.text_length);
        answer.reason = chunk.finish_reason;
        sink(chunk);
    }
    answer.times.generation = answer.times.generated_tokens > 0 ? seconds_since(begin) : 0;
    answer.is_interrupted = status == LLM_CANCELLED;
    if (status != LLM_END && status != LLM_CANCELLED) check(status);
    return answer;
}

void check_generates(const llm_model *model) {
    if ((model_info(model).capabilities & LLM_MODEL_GENERATES) == 0)
        throw ApiError(LLM_ERROR_UNSUPPORTED, "this model is an encoder, which writes no text; see 'llm-cli embed'");
}

std::string finish_text(const Answer &answer) { return finish_words(answer).text; }

std::string finish_word(const Answer &answer) { return finish_words(answer).word; }

std::string times_text(const Answer &answer, double load, std::uint32_t seed) {
    const AnswerTimes &times = answer.times;
    char lines[512];
    int used = 0;
    const auto room = [&] { return sizeof lines - static_cast<std::size_t>(used); };
    if (load >= 0) used += std::snprintf(lines, sizeof lines, "load        %8.3f s\n", load);
    used += std::snprintf(lines + used, room(), "prompt      %8.3f s  %6zu tokens  %8.1f tokens/s", times.prompt,
                          times.prompt_tokens, times.prompt_rate());
    if (times.reused_tokens > 0) used += std::snprintf(lines + used, room(), "  %zu reused", times.reused_tokens);
    used += std::snprintf(lines + used, room(), "\ngeneration  %8.3f s  %6zu tokens  %8.1f tokens/s\n",
                          times.generation, times.generated_tokens, times.generation_rate());
    std::snprintf(lines + used, room(), "seed        %u\nfinished    %s", static_cast<unsigned>(seed),
                  finish_text(answer).c_str());
    return lines;
}

}  // namespace cli
