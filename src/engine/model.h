// A model that is open: its file's facts, tokenizer, weights and forward pass. Immutable, shared by all contexts.
#pragma once

#include "gguf/model_files.h"
#include "kernels/kernel_table.h"
#include "model/architecture.h"
#include "model/graph.h"
#include "model/hyper_parameters.h"
#include "model/weights.h"
#include "tokenizer/tokenizer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace llm {

enum class OpenDepth { all, vocabulary, metadata };

struct ModelOptions {
    LoadMode load = LoadMode::packed;
    OpenDepth depth = OpenDepth::all;
    uint32_t thread_count = 0;  // 0: the machine's default
    std::string pre_tokenizer;  // empty: as the file says
    LoadOptions weights = {};
    uint64_t max_memory = 0;  // of the weights; 0: no limit
    HostAllocator allocator = {};
    const KernelTable *kernels = nullptr;  // nullptr: those that the process uses
};

class Model {
public:
    Model(ModelFiles files, const ModelOptions &options);

    const GgufFile &file() const { return files_.file; }
    const Tokenizer *tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
    // nullptr unless the model was opened with its weights.
    const Graph *graph() const { return has_weights_ ? &graph_ : nullptr; }
    const HyperParameters &parameters() const { return parameters_; }
    const KernelTable &kernels() const { return *kernels_; }
    uint64_t weight_bytes() const { return has_weights_ && weights_ ? weights_->memory_bytes() : 0; }

private:
    void load_weights(const ModelOptions &options);
    void log_opened(double seconds) const;

    ModelFiles files_;  // the sources are kept only while the weights are mapped
    MemoryProvider memory_;
    std::optional<Tokenizer> tokenizer_;
    HyperParameters parameters_;
    const KernelTable *kernels_ = nullptr;
    std::optional<WeightSet> weights_;
    Graph graph_;
    bool has_weights_ = false;
};

// The number of threads that an option of 0 stands for, or the option itself.
uint32_t resolve_thread_count(uint32_t option);

}  // namespace llm
