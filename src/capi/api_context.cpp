// Contexts and evaluation.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"
#include "engine/memory_estimate.h"

using namespace llm;

namespace {

// The numbers of the interface are those of the kernels; check_options() has kept out all others.
static_assert(static_cast<int>(CacheType::q16) == LLM_CACHE_Q16 && static_cast<int>(CacheType::f16) == LLM_CACHE_F16 &&
              static_cast<int>(CacheType::f32) == LLM_CACHE_F32 &&
              static_cast<int>(CacheType::bf16) == LLM_CACHE_BF16 && static_cast<int>(CacheType::q8) == LLM_CACHE_Q8_0);

std::chrono::microseconds idle_time(int32_t option) {
    return option == 0 ? ThreadTeam::default_linger : std::chrono::microseconds(std::max(option, 0));
}

ContextOptions context_options(const llm_context_options *given) {
    const auto o = read_options<llm_context_options>(given, LLM_CONTEXT_OPTIONS_INIT);
    check_options(&o, LLM_OPTIONS_CONTEXT);
    return {.context_length = static_cast<uint32_t>(o.context_length),
            .batch_size = static_cast<uint32_t>(o.batch_size),
            .thread_count = static_cast<uint32_t>(o.threads),
            .key_type = static_cast<CacheType>(o.cache_type_k),
            .value_type = static_cast<CacheType>(o.cache_type_v),
            .sequence_count = static_cast<uint32_t>(o.max_sequences),
            .keeps_all = o.window_cache == LLM_WINDOW_CACHE_FULL,
            .max_memory = o.max_memory,
            .allocator = host_allocator(o),
            .idle = idle_time(o.idle_microseconds)};
}

}  // namespace

llm_status llm_context_new(llm_context **out, llm_model *model, const llm_context_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const ContextOptions wanted = context_options(options);
        auto record = std::make_unique<ContextRecord>();
        record->context = std::make_shared<Exclusive<Context>>(required(model, "model").model, wanted);
        give_handle(out, std::move(record));
        return LLM_OK;
    });
}

void llm_context_close(llm_context *context) { close_handle(context); }

llm_status llm_context_get_info(llm_context_info *out, const llm_context *context) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        llm_context_info info = LLM_CONTEXT_INFO_INIT;
        info.cache_bytes = shared->cache_bytes();
        info.scratch_bytes = shared->scratch_bytes();
        info.context_length = shared->context_length();
        info.batch_size = shared->batch_size();
        info.threads = shared->thread_count();
        info.max_sequences = shared->sequence_count();
        info.vocabulary_size = shared->model().parameters().vocabulary_size;
        write_result(out, "out", info);
        return LLM_OK;
    });
}

llm_status llm_context_set_threads(llm_context *context, int32_t threads) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
        options.threads = threads;
        check_options(&options, LLM_OPTIONS_CONTEXT);
        shared->set_thread_count(static_cast<uint32_t>(threads));
        return LLM_OK;
    });
}

llm_status llm_context_get_counters(llm_context_counters *out, const llm_context *context) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const Counters &counters = shared->counters();
        llm_context_counters result = LLM_CONTEXT_COUNTERS_INIT;
        result.prompt_tokens = counters.prompt_tokens;
        result.prompt_nanoseconds = counters.prompt_nanoseconds;
        result.single_tokens = counters.single_tokens;
        result.single_nanoseconds = counters.single_nanoseconds;
        result.reused_tokens = counters.reused_tokens;
        result.evaluations = counters.evaluations;
        result.first_token_nanoseconds = counters.first_token_nanoseconds;
        result.longest_sequence = counters.longest_sequence;
        write_result(out, "out", result);
        return LLM_OK;
    });
}

llm_status llm_context_reset_counters(llm_context *context) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        shared->counters() = {};
        return LLM_OK;
    });
}

llm_status llm_memory_estimate(llm_memory *out, const llm_model *model, const llm_context_options *options) {
    return barrier([&]() -> llm_status {
        const auto [weight_bytes, mapped_bytes, context] =
            estimate_memory(*required(model, "model").model, context_options(options));
        llm_memory memory = LLM_MEMORY_INIT;
        memory.weight_bytes = weight_bytes;
        memory.mapped_bytes = mapped_bytes;
        memory.cache_bytes = context.cache_bytes;
        memory.scratch_bytes = context.scratch_bytes;
        memory.context_length = context.plan.context_length;
        memory.batch_size = context.plan.batch_size;
        memory.threads = context.plan.thread_count;
        memory.max_sequences = context.sequence_count;
        write_result(out, "out", memory);
        return LLM_OK;
    });
}

llm_status llm_eval(llm_context *context, int32_t sequence, const llm_token *tokens, size_t count, uint32_t flags) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t which = check_sequence(*shared, sequence);
        const auto ids = read_array(tokens, count, "tokens");
        check_tokens(*shared, ids);
        const WantedLogits wanted = wanted_logits(flags);
        if (ids.empty()) return LLM_OK;
        return shared->evaluate(which, ids, wanted) ? LLM_OK : LLM_CANCELLED;
    });
}

void llm_cancel(llm_context *context) {
    if (const HandlePin pin = pin_handle(context)) static_cast<ContextRecord &>(pin.record()).context->object.cancel();
}

llm_status llm_logits(const float **out, llm_context *context, int32_t row) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        required(out, "out") = logits_row(*shared, row).data();
        return LLM_OK;
    });
}
