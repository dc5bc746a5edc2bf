// Sequences of a context: how long they are, and what becomes of them besides evaluation.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

llm_status llm_sequence_length(size_t *out, const llm_context *context, int32_t sequence) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        required(out, "out") = shared->length(check_sequence(*shared, sequence));
        return LLM_OK;
    });
}

llm_status llm_sequence_truncate(llm_context *context, int32_t sequence, size_t length) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t which = check_sequence(*shared, sequence);
        if (length > shared->length(which))
            fail(LLM_ERROR_ARGUMENT, "length ", length, ", sequence ", sequence, " has ", shared->length(which));
        shared->truncate(which, static_cast<uint32_t>(length));
        return LLM_OK;
    });
}

llm_status llm_sequence_remove(llm_context *context, int32_t sequence) {
    return llm_sequence_truncate(context, sequence, 0);
}

llm_status llm_sequence_fork(llm_context *context, int32_t from, int32_t to) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t source = check_sequence(*shared, from);
        const uint32_t copy = check_sequence(*shared, to);
        if (source == copy) fail(LLM_ERROR_ARGUMENT, "sequence ", from, " cannot be forked to itself");
        shared->fork(source, copy);
        return LLM_OK;
    });
}

llm_status llm_sequence_reuse_prefix(size_t *kept, llm_context *context, int32_t sequence, const llm_token *tokens,
                                     size_t count) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        required(kept, "kept") =
            shared->reuse_prefix(check_sequence(*shared, sequence), read_array(tokens, count, "tokens"));
        return LLM_OK;
    });
}
