// The sampler that a command line describes.
#pragma once

#include "options.h"

#include <string>
#include <vector>

namespace cli {

class Sampling {
public:
    static void add_options(Options &options);

    // Of a command line that was parsed. Throws UsageError.
    explicit Sampling(const Options &options);

    // What the command line does not say is as the model's file recommends. Without a model it only checks the values.
    // A seed that was given is raised by seed_offset, for several texts that differ.
    Sampler make(const llm_model *model, std::uint32_t seed_offset = 0) const;

private:
    void read_bias(const std::string &text);

    const Options &options_;
    std::vector<llm_logit_bias> biases_;
    std::vector<std::string> breakers_;
};

}  // namespace cli
