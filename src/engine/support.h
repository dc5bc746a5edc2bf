// What a file is and what it needs, without its weights; also for models that cannot be run.
#pragma once

#include "gguf/gguf_file.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// Facts for a summary; numbers that the file does not give as a plain number are 0, texts "".
struct ModelFacts {
    std::string architecture, name;
    std::string main_type;    // the tensor type that holds most of the bytes
    std::string description;  // "llama 1.2B Q4_K"
    uint64_t parameter_count;
    uint32_t vocabulary_size, context_length, embedding_length, layer_count;
    uint32_t head_count, head_count_kv, head_length, feed_forward_length;
    uint32_t expert_count, expert_used_count;
    bool is_known, is_encoder;  // the architecture
};

ModelFacts read_model_facts(const GgufFile &file);

struct SupportReport {
    struct Item {
        std::string what, name;
        bool supported;
    };
    Item architecture, tokenizer, pre_tokenizer, rope_scaling;
    std::vector<Item> tensor_types;  // of matrices and of vectors, each once

    bool runnable() const;
};

SupportReport report_support(const GgufFile &file);

}  // namespace llm
