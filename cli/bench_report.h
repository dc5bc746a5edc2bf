// The results of `llm-cli bench` as text, in several formats.
#pragma once

#include "bench.h"

#include <memory>

namespace cli {

// What all results have in common.
struct BenchSubject {
    llm_model_info model;
    const char *tier;
};

// Gives the text of each result as soon as it is there. The functions are called in their order here.
class BenchReport {
public:
    virtual ~BenchReport() = default;
    // What the machine can do with so many threads.
    virtual std::string machine(unsigned, const MachineRates &) { return {}; }
    virtual std::string result(const BenchResult &result) = 0;
    virtual std::string end() { return {}; }
};

using MakeBenchReport = std::unique_ptr<BenchReport> (*)(const BenchSubject &);

// The names of the formats: "table|md|csv|json|jsonl".
std::string bench_formats();

// What makes the report of a format; null when there is no such format.
MakeBenchReport bench_report(const std::string &format);

}  // namespace cli
