// What `llm-cli bench` measures, and what came out.
#pragma once

#include "api.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// So many tokens after `depth` others: a prompt, evaluated at once, or a generation, evaluated one by one; in each of
// some sequences.
struct BenchTest {
    enum class Kind { prompt, generation };
    Kind kind;
    std::size_t count, depth, sequences;

    // "pp512" or "tg64", as llama-bench calls them, and "tg64 x 8" in eight sequences.
    std::string name() const {
        return (kind == Kind::prompt ? "pp" : "tg") + std::to_string(count) +
               (sequences > 1 ? " x " + std::to_string(sequences) : "");
    }
};

// What a machine does in a second with some number of threads.
struct MachineRates {
    double bytes_read, int8_products;
};

// The speed that a test cannot exceed.
struct Bound {
    MachineRates machine;
    double tokens_per_second;
    const char *limit;  // "memory" or "compute"
};

struct BenchResult {
    BenchTest test;
    llm_context_info context;
    std::vector<double> rates;  // tokens per second, one for each repetition
    std::optional<Bound> bound;

    double mean() const {
        double sum = 0;
        for (const double rate : rates) sum += rate;
        return sum / double(rates.size());
    }
    double deviation() const {
        if (rates.size() < 2) return 0;
        double sum = 0;
        for (const double rate : rates) sum += (rate - mean()) * (rate - mean());
        return std::sqrt(sum / double(rates.size() - 1));
    }
    double percent_of_bound() const { return 100 * mean() / bound->tokens_per_second; }
};

}  // namespace cli
