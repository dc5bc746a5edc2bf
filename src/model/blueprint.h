// What a file declares: a model's numbers, tensors and forward pass. All of it is checked, and no weight was read.
#pragma once

#include "model/graph.h"
#include "model/hyper_parameters.h"
#include "model/weights.h"

namespace llm {

struct Blueprint {
    // LLM_ERROR_UNSUPPORTED, LLM_ERROR_MODEL. `vocabulary_size` is the number of tokens in the file, which must outlive
    // the blueprint, as must the memory that the weights will take.
    Blueprint(const GgufFile &file, uint32_t vocabulary_size, LoadMode load,
              MemoryProvider &memory = MemoryProvider::system());

    HyperParameters parameters;
    WeightSet weights;
    Graph graph;  // points into the weights
};

}  // namespace llm
