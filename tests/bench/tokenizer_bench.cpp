// Tokenizing: loading a vocabulary, a whole text file, its first line, and back.
//     tokenizer_bench VOCABULARY.gguf TEXT [Google Benchmark's own options]
// compare_tokenizers.py runs it and llama.cpp in turn on the same text.
#include "gguf/gguf_file.h"
#include "io/byte_source.h"
#include "tokenizer/tokenizer.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace llm;

void load(benchmark::State &state, const GgufFile &file) {
    for (auto _ : state) {
        const Tokenizer tokenizer(file);
        benchmark::DoNotOptimize(tokenizer.size());
    }
}

void tokenize(benchmark::State &state, const Tokenizer &tokenizer, std::string_view text) {
    size_t tokens = 0;
    for (auto _ : state) tokens = tokenizer.tokenize(text, false, true).size();
    state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
    state.counters["tokens"] = static_cast<double>(tokens);
}

void detokenize(benchmark::State &state, const Tokenizer &tokenizer, std::string_view text) {
    const std::vector<llm_token> tokens = tokenizer.tokenize(text, false, true);
    for (auto _ : state) benchmark::DoNotOptimize(tokenizer.detokenize(tokens, true).size());
    state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
}

}  // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s VOCABULARY.gguf TEXT\n", argv[0]);
        return 2;
    }
    std::ifstream in(argv[2], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
    const GgufFile file = GgufFile::parse(*open_file_source(argv[1]));
    const Tokenizer tokenizer(file);

    benchmark::RegisterBenchmark("load", load, std::cref(file));
    benchmark::RegisterBenchmark("tokenize/text", tokenize, std::cref(tokenizer), text);
    benchmark::RegisterBenchmark("tokenize/line", tokenize, std::cref(tokenizer), line);
    benchmark::RegisterBenchmark("detokenize/text", detokenize, std::cref(tokenizer), text);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
