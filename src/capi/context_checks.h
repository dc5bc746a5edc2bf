// Checks of arguments that several functions of contexts share. All fail with a status.
#pragma once

#include "engine/context.h"

#include <span>

namespace llm {

uint32_t check_sequence(const Context &context, int32_t sequence);
WantedLogits wanted_logits(uint32_t flags);
void check_tokens(const Context &context, std::span<const llm_token> tokens);

// A row of logits, -1 being the last.
std::span<const float> logits_row(const Context &context, int32_t row);

}  // namespace llm
