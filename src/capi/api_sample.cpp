// Samplers.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"

using namespace llm;

llm_status llm_sampler_new(llm_sampler **out, const llm_sampler_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const auto o = read_options<llm_sampler_options>(options, LLM_SAMPLER_OPTIONS_INIT);
        check_options(&o, LLM_OPTIONS_SAMPLER);
        auto record = std::make_unique<SamplerRecord>();
        record->sampler =
            std::make_shared<Exclusive<Sampler>>(SamplerParameters{o.temperature, o.top_p, o.min_p, o.top_k, o.seed});
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
        Exclusive<Sampler> &shared = *required(sampler, "sampler").sampler;
        const Enter enter(shared.busy, "sampler");
        shared.object.reset();
        return LLM_OK;
    });
}

llm_status llm_sample(llm_token *out, llm_sampler *sampler, llm_context *context, int32_t row) {
    return barrier([&]() -> llm_status {
        Exclusive<Sampler> &shared = *required(sampler, "sampler").sampler;
        Exclusive<Context> &source = *required(context, "context").context;
        const Enter enter(shared.busy, "sampler");
        const Enter enter_context(source.busy, "context");
        required(out, "out") = shared.object.sample(logits_row(source.object, row));
        return LLM_OK;
    });
}
