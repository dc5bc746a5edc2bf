// What a model computes for a text, row by row, with one kernel tier and number of threads.
#pragma once

#include "options.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cli {

struct Variant {
    std::string tier;
    long threads;
};

// The text, and how many tokens more are chosen, always the most probable one.
struct Comparison {
    const Options &options;
    std::string text;
    std::size_t predicted;
};

// Each in a process of its own.
// A number for each row, which is another one when one bit of the row is another: logits after each token or, from an
// encoder, its vectors.
std::vector<std::uint64_t> row_digests(const Comparison &comparison, const Variant &variant);
// One of the rows.
std::vector<float> row_values(const Comparison &comparison, const Variant &variant, std::size_t row);

}  // namespace cli
