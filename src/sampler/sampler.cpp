#include "sampler/sampler.h"

#include "sampler/filters.h"
#include "sampler/portable_math.h"
#include "sampler/temperature.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace llm {

namespace {

// The number of tokens that an option of -1 for "all" stands for.
size_t window(int32_t last_n) { return last_n < 0 ? TokenHistory::unlimited : static_cast<size_t>(last_n); }

size_t longest_window(const llm_sampler_options &options, bool penalties, bool dry) {
    return std::max(penalties ? window(options.repeat_last_n) : 0, dry ? window(options.dry_penalty_last_n) : 0);
}

std::vector<std::string> read_breakers(const llm_sampler_options &options) {
    if (!options.dry_breakers) return {"\n", ":", "\"", "*"};
    std::vector<std::string> texts;
    for (size_t i = 0; i < options.dry_breaker_count; ++i)
        texts.emplace_back(options.dry_breakers[i], options.dry_breaker_lengths[i]);
    return texts;
}

}  // namespace

Sampler::Sampler(const llm_sampler_options &options)
    : options_(options),
      biases_(options.logit_bias, options.logit_bias + options.logit_bias_count),
      breaker_texts_(read_breakers(options)),
      penalties_(options.repeat_penalty, options.frequency_penalty, options.presence_penalty),
      dry_(options.dry_multiplier, options.dry_base, options.dry_allowed_length),
      mirostat_(options.mirostat_tau, options.mirostat_eta),
      history_(longest_window(options, penalties_.has_effect(), dry_.has_effect())) {
    options_.logit_bias = nullptr;
    options_.dry_breakers = nullptr;
    options_.dry_breaker_lengths = nullptr;
    while (options_.seed == LLM_SEED_RANDOM) options_.seed = std::random_device{}();
    random_.seed(options_.seed);
}

void Sampler::reset() {
    random_.seed(options_.seed);
    mirostat_.reset();
    history_.clear();
}

llm_token Sampler::sample(std::span<const float> logits) {
    make_room(1);
    filter(logits);
    const double total = candidates_.total_weight();
    const double target = total * next_uniform();
    double sum = 0.0;
    candidates_.keep_ranked([&](const Candidate &candidate) { return (sum += candidate.weight) > target; });
    const Candidate &chosen = candidates_[candidates_.size() - 1];
    if (options_.mirostat != 0) mirostat_.observe(chosen.weight / total);
    history_.append(chosen.token);
    return chosen.token;
}

const Candidates &Sampler::filter(std::span<const float> row) {
    const std::span<const float> logits = edited(row);
    scan_.read(logits);
    if (options_.temperature == 0.0f && options_.dynatemp_range == 0.0f) {
        candidates_.take_best(scan_, 1, Candidates::any_logit);
    } else if (options_.mirostat != 0) {
        candidates_.take(scan_, Candidates::any_logit);
        apply_temperature();
        mirostat_.cut(candidates_);
    } else {
        keep_probable(logits);
        apply_temperature();
    }
    return candidates_;
}

// The row itself, or a copy of it in which bias and penalties have changed some logits.
std::span<const float> Sampler::edited(std::span<const float> logits) {
    const std::span<const llm_token> recent = history_.last(TokenHistory::unlimited);
    if (biases_.empty() && recent.empty()) return logits;
    edited_.assign(logits.begin(), logits.end());
    add_logit_bias(edited_, biases_);
    if (penalties_.has_effect()) penalties_.apply(edited_, history_.last(window(options_.repeat_last_n)));
    if (dry_.has_effect()) dry_.apply(edited_, history_.last(window(options_.dry_penalty_last_n)));
    return edited_;
}

void Sampler::keep_probable(std::span<const float> logits) {
    const auto least = static_cast<size_t>(options_.min_keep);
    float bound = Candidates::any_logit;
    if (options_.top_n_sigma > 0.0f) bound = top_n_sigma_bound(logits, scan_.maximum(), options_.top_n_sigma);
    if (options_.top_k > 0)
        candidates_.take_best(scan_, static_cast<size_t>(options_.top_k), bound);
    else
        candidates_.take(scan_, std::max(bound, min_p_bound()));
    if (options_.typical_p < 1.0f) keep_typical(candidates_, options_.typical_p, least);
    if (options_.top_p < 1.0f) keep_top_p(candidates_, options_.top_p, least);
    if (options_.min_p > 0.0f) keep_min_p(candidates_, options_.min_p, least);
    if (options_.xtc_probability > 0.0f && next_uniform() < options_.xtc_probability)
        exclude_top_choices(candidates_, options_.xtc_threshold, least);
}

// Where no filter before min-p needs the tokens that it leaves out: a bound just below its own.
float Sampler::min_p_bound() const {
    const bool is_first = options_.typical_p >= 1.0f && options_.top_p >= 1.0f && options_.min_keep <= 1;
    if (!is_first || options_.min_p <= 0.0f) return Candidates::any_logit;
    const double bound = scan_.maximum() + portable_log(options_.min_p) - 1e-9;
    return std::nextafter(static_cast<float>(bound), Candidates::any_logit);
}

void Sampler::apply_temperature() {
    const float range = options_.dynatemp_range;
    const double temperature =
        range > 0.0f ? dynamic_temperature(candidates_, options_.temperature, range, options_.dynatemp_exponent)
                     : options_.temperature;
    if (temperature > 0.0)
        candidates_.weigh(temperature);
    else
        candidates_.keep_ranked([](const Candidate &) { return true; });
}

bool Sampler::needs_breakers(const std::shared_ptr<const void> &vocabulary) const {
    if (!dry_.has_effect() || breaker_texts_.empty()) return false;
    return breakers_vocabulary_.owner_before(vocabulary) || vocabulary.owner_before(breakers_vocabulary_);
}

void Sampler::set_breakers(const std::shared_ptr<const void> &vocabulary, DryPenalty::Breakers breakers) {
    dry_.set_breakers(std::move(breakers));
    breakers_vocabulary_ = vocabulary;
}

}  // namespace llm
