// llm-cli run: continues a text and streams what the model writes.
#include "interrupt.h"
#include "options.h"
#include "sampling.h"
#include "text_io.h"

#include <chrono>
#include <cstdio>

namespace cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Options make_options() {
    Options options("run MODEL [PROMPT] [options]",
                    "Continues a text. What the model writes goes to standard output, everything else to standard "
                    "error.");
    options.add_model();
    options.add_input_text();
    options.add_weights();
    Sampling::add_options(options);
    options.add_table(LLM_OPTIONS_GENERATION);
    options.add_value("reverse-prompt,r", "TEXT", "stop before this text; may be repeated");
    options.add_flag("parse-special", "control tokens spelled in the prompt become those tokens");
    options.add_flag("display-prompt", "write the prompt, too");
    options.add_flag("verbose,v", "report what happened, with times, on standard error");
    return options;
}

struct Times {
    double load = 0, prompt = 0, generation = 0;
    std::size_t prompt_tokens = 0, generated_tokens = 0;
};

const char *finish_text(llm_finish_reason reason) {
    switch (reason) {
        case LLM_FINISH_END_TOKEN:
            return "the model ended its text";
        case LLM_FINISH_STOP:
            return "a stop text was found";
        case LLM_FINISH_LENGTH:
            return "the number of tokens was reached";
        case LLM_FINISH_CONTEXT_FULL:
            return "the context is full";
        default:
            return "stopped";
    }
}

void report(const Times &times, std::uint32_t seed, llm_finish_reason reason) {
    // The first token comes with the prompt's evaluation.
    const std::size_t single_tokens = times.generated_tokens > 0 ? times.generated_tokens - 1 : 0;
    const auto rate = [](std::size_t count, double seconds) { return seconds > 0 ? double(count) / seconds : 0.0; };
    std::fprintf(stderr, "\nload        %8.3f s\n", times.load);
    std::fprintf(stderr, "prompt      %8.3f s  %6zu tokens  %8.1f tokens/s\n", times.prompt, times.prompt_tokens,
                 rate(times.prompt_tokens, times.prompt));
    std::fprintf(stderr, "generation  %8.3f s  %6zu tokens  %8.1f tokens/s\n", times.generation, times.generated_tokens,
                 rate(single_tokens, times.generation));
    std::fprintf(stderr, "seed        %u\nfinished    %s\n", unsigned(seed), finish_text(reason));
}

Generation start(llm_generation_options options, const std::vector<std::string> &stops, llm_context *context,
                 llm_sampler *sampler, const std::vector<llm_token> &prompt) {
    std::vector<const char *> texts;
    std::vector<std::size_t> lengths;
    for (const std::string &stop : stops) {
        texts.push_back(stop.data());
        lengths.push_back(stop.size());
    }
    options.stops = texts.data();
    options.stop_lengths = lengths.data();
    options.stop_count = stops.size();
    llm_generation *generation = nullptr;
    check(llm_generation_start(&generation, context, sampler, prompt.data(), prompt.size(), &options));
    return Generation(generation);
}

llm_finish_reason stream(llm_generation *generation, Times &times) {
    llm_chunk chunk = LLM_CHUNK_INIT;
    char last = '\n';
    auto begin = Clock::now();
    llm_status status;
    while ((status = llm_generation_next(&chunk, generation)) == LLM_OK) {
        if (times.generated_tokens++ == 0) {
            times.prompt = seconds_since(begin);
            begin = Clock::now();
        }
        write({chunk.text, chunk.text_length});
        if (chunk.text_length > 0) last = chunk.text[chunk.text_length - 1];
    }
    times.generation = seconds_since(begin);
    if (last != '\n' && stdout_is_terminal()) write("\n");
    if (status != LLM_END) check(status);
    return chunk.finish_reason;
}

// The option structs as the command line has them; wrong values show before the model is opened.
struct Settings {
    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    llm_generation_options generation = LLM_GENERATION_OPTIONS_INIT;

    explicit Settings(const Options &options) {
        options.apply(context);
        options.apply(generation);
    }
};

void note_log_line(void *, llm_log_level, const char *text, std::size_t length) { note({text, length}); }

std::uint32_t tokenize_flags(const Options &options) {
    return LLM_TOKENIZE_ADD_SPECIAL | (options.has("parse-special") ? LLM_TOKENIZE_PARSE_SPECIAL : 0u);
}

int run(const Options &options) {
    const std::string prompt = options.input_text();
    const Settings settings(options);
    const Sampling sampling(options);
    sampling.make(nullptr);
    check(llm_log_set(note_log_line, nullptr, options.has("verbose") ? LLM_LOG_INFO : LLM_LOG_WARNING));

    catch_interrupts();
    Times times;
    const auto begin = Clock::now();
    const Model model = options.open_model(LLM_MODEL_OPTIONS_INIT);
    const Context context = new_context(model.get(), settings.context);
    const CancelOnInterrupt cancel(context.get());
    const Sampler sampler = sampling.make(model.get());
    times.load = seconds_since(begin);

    const std::vector<llm_token> ids = tokenize(model.get(), prompt, tokenize_flags(options));
    times.prompt_tokens = ids.size();
    const Generation generation =
        start(settings.generation, options.values("reverse-prompt"), context.get(), sampler.get(), ids);
    if (options.has("display-prompt")) write(prompt);
    const llm_finish_reason reason = stream(generation.get(), times);
    if (options.has("verbose")) report(times, llm_sampler_seed(sampler.get()), reason);

    // Without a number of tokens to reach, to fill the context is what was asked for.
    if (reason != LLM_FINISH_CONTEXT_FULL || settings.generation.max_tokens == 0) return exit_ok;
    note("llm-cli: the context is full before the number of tokens was reached; --context-length makes it larger");
    return exit_context_full;
}

}  // namespace

const Command cmd_run = {"run", "answer a message or continue a text", make_options, run};

}  // namespace cli
