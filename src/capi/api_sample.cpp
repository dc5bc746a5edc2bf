// Samplers.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"
#include "engine/log_probabilities.h"
#include "engine/sequence_breakers.h"

#include <limits>

using namespace llm;

namespace {

constexpr size_t longest_breaker = 256;

// What the option table does not know of.
void check_sampler_options(const llm_sampler_options &o) {
    if (o.mirostat == 1) fail(LLM_ERROR_ARGUMENT, "option 'mirostat' is 1, must be 0 or 2");
    for (const llm_logit_bias &bias : read_array(o.logit_bias, o.logit_bias_count, "logit_bias")) {
        if (bias.token < 0) fail(LLM_ERROR_ARGUMENT, "logit_bias names token ", bias.token);
        if (!(bias.bias <= std::numeric_limits<float>::max()))
            fail(LLM_ERROR_ARGUMENT, "logit_bias of token ", bias.token, " is ", bias.bias);
    }
    const auto texts = read_array(o.dry_breakers, o.dry_breaker_count, "dry_breakers");
    const auto lengths = read_array(o.dry_breaker_lengths, o.dry_breaker_count, "dry_breaker_lengths");
    for (size_t i = 0; i < texts.size(); ++i) {
        required(texts[i], "dry_breakers");
        if (lengths[i] == 0 || lengths[i] > longest_breaker)
            fail(LLM_ERROR_ARGUMENT, "DRY breaker ", i, " has ", lengths[i], " bytes, must have 1 to ",
                 longest_breaker);
    }
}

void check_accepted(std::span<const llm_token> tokens) {
    for (const llm_token token : tokens)
        if (token < 0) fail(LLM_ERROR_ARGUMENT, "token ", token, " is no id");
}

}  // namespace

llm_status llm_sampler_new(llm_sampler **out, const llm_sampler_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const auto o = read_options<llm_sampler_options>(options, LLM_SAMPLER_OPTIONS_INIT);
        check_options(&o, LLM_OPTIONS_SAMPLER);
        check_sampler_options(o);
        auto record = std::make_unique<SamplerRecord>();
        record->sampler = std::make_shared<Exclusive<Sampler>>(o);
        give_handle(out, std::move(record));
        return LLM_OK;
    });
}

llm_status llm_sampler_clone(llm_sampler **out, llm_sampler *sampler) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const auto shared = entered(sampler);
        auto record = std::make_unique<SamplerRecord>();
        record->sampler = std::make_shared<Exclusive<Sampler>>(*shared);
        give_handle(out, std::move(record));
        return LLM_OK;
    });
}

void llm_sampler_close(llm_sampler *sampler) { close_handle(sampler); }

uint32_t llm_sampler_seed(const llm_sampler *sampler) {
    return value_of(sampler, uint32_t{0}, [](const SamplerRecord &record) { return record.sampler->object.seed(); });
}

llm_status llm_sampler_reset(llm_sampler *sampler) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(sampler);
        shared->reset();
        return LLM_OK;
    });
}

llm_status llm_sampler_accept(llm_sampler *sampler, const llm_token *tokens, size_t count) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(sampler);
        const auto ids = read_array(tokens, count, "tokens");
        check_accepted(ids);
        shared->accept(ids);
        return LLM_OK;
    });
}

llm_status llm_sample(llm_token *out, llm_sampler *sampler, llm_context *context, int32_t row) {
    return barrier([&]() -> llm_status {
        Exclusive<Sampler> &shared = *required(sampler, "sampler").sampler;
        Exclusive<Context> &source = *required(context, "context").context;
        const Enter enter(shared.busy, "sampler");
        const Enter enter_context(source.busy, "context");
        required(out, "out");
        const auto logits = logits_row(source.object, row);
        find_sequence_breakers(shared.object, source.object.shared_model());
        *out = shared.object.sample(logits);
        return LLM_OK;
    });
}

llm_status llm_logprobs(llm_token_logprob *out, size_t n, size_t *count, llm_context *context, int32_t row) {
    return barrier([&]() -> llm_status {
        const auto source = entered(context);
        if (n > 0) required(out, "out");
        LogProbabilities probabilities;
        probabilities.read(logits_row(*source, row), source->model().kernels());
        std::vector<llm_token_logprob> best;
        probabilities.best(best, n);
        std::copy(best.begin(), best.end(), out);
        if (count) *count = best.size();
        return LLM_OK;
    });
}
