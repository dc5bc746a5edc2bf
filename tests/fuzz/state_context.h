// The context whose states are fuzzed.
#pragma once

#include "engine/context.h"
#include "support/tiny_gemma2.h"

#include <memory>
#include <vector>

namespace llm::test {

inline Context &state_context() {
    static const std::vector<uint8_t> bytes = tiny_gemma2(70).bytes();
    static Context context(std::make_shared<Model>(read_model_file(make_memory_source(bytes)), ModelOptions{}),
                           {.context_length = 400,
                            .batch_size = 16,
                            .thread_count = 1,
                            .key_type = CacheType::q8,
                            .value_type = CacheType::q8});
    return context;
}

inline std::vector<uint8_t> saved_state() {
    std::vector<uint8_t> state(state_context().state_bytes(0));
    state_context().save_state(0, state);
    return state;
}

}  // namespace llm::test
