// Embeddings of texts.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

namespace {

Pooling chosen_pooling(const Context &context, llm_pooling pooling) {
    const Pooling of_model = context.encoding().pooling;
    switch (pooling) {
        case LLM_POOLING_DEFAULT:
            return of_model;
        case LLM_POOLING_MEAN:
            return Pooling::mean;
        case LLM_POOLING_FIRST:
            return Pooling::first;
        case LLM_POOLING_LAST:
            return Pooling::last;
        case LLM_POOLING_NONE:
            return Pooling::none;
        default:
            fail(LLM_ERROR_ARGUMENT, "pooling ", pooling, ", must be 0 to 4");
    }
}

}  // namespace

llm_status llm_embed(float *out, size_t capacity, size_t *count, llm_context *context, const llm_token *tokens,
                     size_t token_count, llm_pooling pooling, uint32_t flags) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        if (flags > LLM_EMBED_NORMALIZE) fail(LLM_ERROR_ARGUMENT, "flags ", flags, " of an embedding, must be 0 or 1");
        const Pooling chosen = chosen_pooling(*shared, pooling);
        const auto ids = read_array(tokens, token_count, "tokens");
        if (ids.empty()) fail(LLM_ERROR_ARGUMENT, "there are no tokens to embed");
        check_tokens(*shared, ids);
        const size_t size = shared->embedding_floats(ids.size(), chosen);
        if (size > capacity) {
            if (count) *count = size;
            return LLM_BUFFER_TOO_SMALL;
        }
        if (!shared->embed(ids, chosen, flags != 0)) return LLM_CANCELLED;
        return write_buffer(out, capacity, count, shared->embedding());
    });
}
