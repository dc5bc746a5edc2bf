#include "capi/context_checks.h"

#include "base/error.h"

namespace llm {

uint32_t check_sequence(const Context &context, int32_t sequence) {
    if (sequence < 0 || static_cast<uint32_t>(sequence) >= context.sequence_count())
        fail(LLM_ERROR_ARGUMENT, "sequence ", sequence, ", the context has ", context.sequence_count());
    return static_cast<uint32_t>(sequence);
}

WantedLogits wanted_logits(uint32_t flags) {
    switch (flags) {
        case 0:
            return WantedLogits::last;
        case LLM_EVAL_LOGITS_ALL:
            return WantedLogits::all;
        case LLM_EVAL_LOGITS_NONE:
            return WantedLogits::none;
        default:
            fail(LLM_ERROR_ARGUMENT, "flags ", flags, " of an evaluation, must be 0, 1 or 2");
    }
}

void check_tokens(const Context &context, std::span<const llm_token> tokens) {
    const uint32_t vocabulary = context.model().parameters().vocabulary_size;
    for (size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i] < 0 || static_cast<uint32_t>(tokens[i]) >= vocabulary)
            fail(LLM_ERROR_ARGUMENT, "token ", tokens[i], " at ", i, ", the vocabulary has ", vocabulary);
}

std::span<const float> logits_row(const Context &context, int32_t row) {
    const size_t rows = context.logits_rows();
    if (rows == 0) fail(LLM_ERROR_STATE, "there are no logits: nothing was evaluated, or none were wanted");
    if (row < -1 || (row >= 0 && static_cast<size_t>(row) >= rows))
        fail(LLM_ERROR_ARGUMENT, "row ", row, ", there are ", rows);
    return context.logits(row == -1 ? rows - 1 : static_cast<size_t>(row));
}

}  // namespace llm
