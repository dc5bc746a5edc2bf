// The memory that a model and a context will take, before either is there.
#pragma once

#include "engine/context.h"

namespace llm {

struct MemoryEstimate {
    uint64_t weight_bytes, mapped_bytes;  // see WeightSet
    ContextMemory context;
};

// For the load mode that the model was opened with; the weights may have been left out. The statuses of opening with
// weights, as far as they do not come from the tokenizer or the weights.
MemoryEstimate estimate_memory(const Model &model, const ContextOptions &options);

}  // namespace llm
