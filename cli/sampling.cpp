// The sampler that a command line describes.
#include "sampling.h"

#include <charconv>
#include <limits>

namespace cli {

void Sampling::add_options(Options &options) {
    options.begin_group("Sampling");
    options.add_table(LLM_OPTIONS_SAMPLER);
    options.add_value("logit-bias,l", "ID+BIAS", "change a token's logit: 29+1.5, 29-2, 29-inf; may be repeated");
    options.add_value(
        "dry-sequence-breaker", "TEXT",
        "DRY does not look beyond this text; may be repeated and replaces newline : \" *; none = nothing");
    options.begin_group("");
}

Sampling::Sampling(const Options &options) : options_(options), breakers_(options.values("dry-sequence-breaker")) {
    for (const std::string &text : options.values("logit-bias")) read_bias(text);
}

void Sampling::read_bias(const std::string &text) {
    llm_logit_bias bias{};
    const char *const end = text.data() + text.size();
    const auto id = std::from_chars(text.data(), end, bias.token);
    bool good = id.ec == std::errc() && bias.token >= 0 && id.ptr != end && (*id.ptr == '+' || *id.ptr == '-');
    if (good) {
        const auto number = std::from_chars(id.ptr + 1, end, bias.bias);
        good = number.ec == std::errc() && number.ptr == end && bias.bias >= 0;
        if (*id.ptr == '-') bias.bias = -bias.bias;
    }
    if (!good) throw UsageError("--logit-bias: '" + text + "' is no token id with +BIAS or -BIAS behind it");
    biases_.push_back(bias);
}

Sampler Sampling::make(const llm_model *model, std::uint32_t seed_offset) const {
    llm_sampler_options options = LLM_SAMPLER_OPTIONS_INIT;
    if (model) check(llm_sampler_options_from_model(&options, model));
    options_.apply(options);
    if (options.seed != LLM_SEED_RANDOM) options.seed += seed_offset;
    options.logit_bias = biases_.data();
    options.logit_bias_count = biases_.size();
    std::vector<const char *> texts;
    std::vector<std::size_t> lengths;
    for (const std::string &breaker : breakers_) {
        texts.push_back(breaker.data());
        lengths.push_back(breaker.size());
    }
    if (!texts.empty()) {
        options.dry_breakers = texts.data();
        options.dry_breaker_lengths = lengths.data();
        options.dry_breaker_count = breakers_.back() == "none" ? 0 : texts.size();
    }
    llm_sampler *sampler = nullptr;
    const llm_status status = llm_sampler_new(&sampler, &options);
    if (status == LLM_ERROR_ARGUMENT) throw UsageError(last_error());
    check(status);
    return Sampler(sampler);
}

}  // namespace cli
