// Sequences of a context: how long they are, and what becomes of them besides evaluation.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

llm_status llm_sequence_length(size_t *out, const llm_context *context, int32_t sequence) {
    return barrier([&]() -> llm_status {
        Exclusive<Context> &shared = *required(context, "context").context;
        const Enter enter(shared.busy, "context");
        required(out, "out") = shared.object.length(check_sequence(shared.object, sequence));
        return LLM_OK;
    });
}

llm_status llm_sequence_truncate(llm_context *context, int32_t sequence, size_t length) {
    return barrier([&]() -> llm_status {
        Exclusive<Context> &shared = *required(context, "context").context;
        const Enter enter(shared.busy, "context");
        const uint32_t which = check_sequence(shared.object, sequence);
        if (length > shared.object.length(which))
            fail(LLM_ERROR_ARGUMENT, "length ", length, ", sequence ", sequence, " has ", shared.object.length(which));
        shared.object.truncate(which, static_cast<uint32_t>(length));
        return LLM_OK;
    });
}

llm_status llm_sequence_remove(llm_context *context, int32_t sequence) {
    return llm_sequence_truncate(context, sequence, 0);
}

llm_status llm_sequence_fork(llm_context *context, int32_t from, int32_t to) {
    return barrier([&]() -> llm_status {
        Exclusive<Context> &shared = *required(context, "context").context;
        const Enter enter(shared.busy, "context");
        const uint32_t source = check_sequence(shared.object, from);
        const uint32_t copy = check_sequence(shared.object, to);
        if (source == copy) fail(LLM_ERROR_ARGUMENT, "sequence ", from, " cannot be forked to itself");
        shared.object.fork(source, copy);
        return LLM_OK;
    });
}

llm_status llm_sequence_reuse_prefix(size_t *kept, llm_context *context, int32_t sequence, const llm_token *tokens,
                                     size_t count) {
    return barrier([&]() -> llm_status {
        Exclusive<Context> &shared = *required(context, "context").context;
        const Enter enter(shared.busy, "context");
        required(kept, "kept") =
            shared.object.reuse_prefix(check_sequence(shared.object, sequence), read_array(tokens, count, "tokens"));
        return LLM_OK;
    });
}
