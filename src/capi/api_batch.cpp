// Tokens of several sequences for one evaluation.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

llm_status llm_batch_new(llm_batch **out) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        give_handle(out, std::make_unique<BatchRecord>());
        return LLM_OK;
    });
}

void llm_batch_close(llm_batch *batch) { close_handle(batch); }

llm_status llm_batch_add(size_t *first_row, llm_batch *batch, int32_t sequence, const llm_token *tokens, size_t count,
                         uint32_t flags) {
    return barrier([&]() -> llm_status {
        const auto list = entered(batch);
        if (sequence < 0) fail(LLM_ERROR_ARGUMENT, "sequence ", sequence, ", they are numbered from 0");
        const Run run{static_cast<uint32_t>(sequence), read_array(tokens, count, "tokens"), wanted_logits(flags)};
        const size_t row = list->row_count();
        list->add(run);
        if (first_row) *first_row = row;
        return LLM_OK;
    });
}

llm_status llm_batch_clear(llm_batch *batch) {
    return barrier([&]() -> llm_status {
        const auto list = entered(batch);
        list->clear();
        return LLM_OK;
    });
}

llm_status llm_eval_batch(llm_context *context, llm_batch *batch) {
    return barrier([&]() -> llm_status {
        Exclusive<Context> &shared = *required(context, "context").context;
        Exclusive<RunList> &list = required(batch, "batch").list;
        const Enter enter(shared.busy, "context");
        const Enter enter_batch(list.busy, "batch");
        const std::span<const Run> runs = list.object.runs();
        bool is_empty = true;
        for (const Run &run : runs) {
            check_sequence(shared.object, static_cast<int32_t>(run.sequence));
            check_tokens(shared.object, run.tokens);
            is_empty = is_empty && run.tokens.empty();
        }
        return is_empty || shared.object.evaluate(runs) ? LLM_OK : LLM_CANCELLED;
    });
}
