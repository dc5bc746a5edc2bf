// Choosing one token from a row of logits of a large vocabulary.
//     sampler_bench [Google Benchmark's own options]
#include "sampler/sampler.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

namespace {

using namespace llm;

constexpr size_t vocabulary_size = 262144;  // that of Gemma 3

// A few tokens far above a bell of others, as models have them.
std::vector<float> model_like_logits() {
    std::mt19937 random(1);
    std::vector<float> logits(vocabulary_size);
    for (float &logit : logits) {
        float sum = -6.0f;
        for (int i = 0; i < 12; ++i) sum += static_cast<float>(random() >> 8) / 16777216.0f;
        logit = 2.0f * sum;
    }
    for (int i = 0; i < 20; ++i) logits[random() % vocabulary_size] = 18.0f - static_cast<float>(i);
    return logits;
}

template <class Change>
void sample(benchmark::State &state, Change change) {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    options.seed = 1;
    change(options);
    Sampler sampler(options);
    const std::vector<float> logits = model_like_logits();
    for (auto _ : state) benchmark::DoNotOptimize(sampler.sample(logits));
}

using Options = llm_sampler_options;

BENCHMARK_CAPTURE(sample, greedy, [](Options &o) { o.temperature = 0; });
BENCHMARK_CAPTURE(sample, default_chain, [](Options &) {});
BENCHMARK_CAPTURE(sample, top_k_1000, [](Options &o) { o.top_k = 1000; });
BENCHMARK_CAPTURE(sample, top_k_10000, [](Options &o) { o.top_k = 10000; });
BENCHMARK_CAPTURE(sample, penalties, [](Options &o) { o.repeat_penalty = 1.1f; });
BENCHMARK_CAPTURE(sample, dry, [](Options &o) { o.dry_multiplier = 0.8f, o.dry_penalty_last_n = 4096; });
BENCHMARK_CAPTURE(sample, top_n_sigma, [](Options &o) { o.top_k = 0, o.top_p = 1, o.min_p = 0, o.top_n_sigma = 1; });
BENCHMARK_CAPTURE(sample, only_min_p, [](Options &o) { o.top_k = 0, o.top_p = 1; });
BENCHMARK_CAPTURE(sample, only_top_p, [](Options &o) { o.top_k = 0, o.min_p = 0; });
BENCHMARK_CAPTURE(sample, only_typical, [](Options &o) { o.top_k = 0, o.min_p = 0, o.top_p = 1, o.typical_p = 0.9f; });
BENCHMARK_CAPTURE(sample, no_filter, [](Options &o) { o.top_k = 0, o.min_p = 0, o.top_p = 1; });
BENCHMARK_CAPTURE(sample, no_filter_hot, [](Options &o) { o.top_k = 0, o.min_p = 0, o.top_p = 1, o.temperature = 3; });
BENCHMARK_CAPTURE(sample, mirostat, [](Options &o) { o.mirostat = 2; });

}  // namespace

BENCHMARK_MAIN();
