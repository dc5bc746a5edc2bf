// A whole model, named by LLM_TEST_SMOLLM2: from the file to the first token, and short prompts. Speed should never
// fall while the prompt grows; to compare lengths, let the machine's moods reach all of them alike:
//   model_bench --benchmark_filter=prompt --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
//               --benchmark_report_aggregates_only=true
#include "support/session.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

namespace {

using namespace llm::test;

constexpr int64_t prompt_lengths[] = {2, 3, 4, 6, 8, 10, 12, 14, 15, 16, 17, 20, 24, 28, 32, 40, 48, 56, 64};
constexpr int64_t thread_counts[] = {1, 2};

std::vector<llm_token> some_tokens(int64_t count) {
    std::vector<llm_token> tokens(static_cast<size_t>(count));
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<llm_token>((i * 7919 + 11) % 20000);
    return tokens;
}

llm_context_options options_for(int64_t threads) {
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    options.threads = static_cast<int32_t>(threads);
    return options;
}

// Opens the file and generates one token after a prompt of five.
void first_token(benchmark::State &state, const std::string &path) {
    const auto tokens = some_tokens(5);
    for (auto _ : state) {
        const ModelPointer model = open_model(path);
        Session session(model.get(), options_for(0));
        benchmark::DoNotOptimize(arg_max(session.evaluate(tokens)));
    }
}

void prompt(benchmark::State &state, llm_model *model) {
    Session session(model, options_for(state.range(1)));
    const auto tokens = some_tokens(state.range(0));
    session.evaluate(tokens);
    for (auto _ : state) {
        session.clear();
        benchmark::DoNotOptimize(session.evaluate(tokens).data());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    const char *path = std::getenv("LLM_TEST_SMOLLM2");
    if (benchmark::ReportUnrecognizedArguments(argc, argv) || !path) return 1;
    benchmark::RegisterBenchmark("first_token", first_token, std::string(path))
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    const ModelPointer model = open_model(path);
    auto *prompts = benchmark::RegisterBenchmark("prompt", prompt, model.get())->UseRealTime();
    prompts->ArgNames({"tokens", "threads"})->Unit(benchmark::kMillisecond);
    for (const int64_t threads : thread_counts)
        for (const int64_t length : prompt_lengths) prompts->Args({length, threads});
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
