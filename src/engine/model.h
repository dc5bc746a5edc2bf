// A model that is open: its file's facts, tokenizer, weights and forward pass. Immutable, shared by all contexts.
#pragma once

#include "gguf/model_files.h"
#include "kernels/kernel_table.h"
#include "model/blueprint.h"
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
    void require_all_parts() const { files_.require_all_parts(); }
    const Tokenizer *tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
    // nullptr unless the model was opened with its weights; so are the next two for such models only.
    const Blueprint *blueprint() const { return blueprint_ ? &*blueprint_ : nullptr; }
    const HyperParameters &parameters() const { return blueprint_->parameters; }
    const KernelTable &kernels() const { return *kernels_; }
    // Tells models with weights apart: a hash of the metadata and of samples of all tensors.
    uint64_t fingerprint() const { return fingerprint_; }
    uint64_t weight_bytes() const { return blueprint_ ? blueprint_->weights.memory_bytes() : 0; }
    // As the options of opening said.
    LoadMode load_mode() const { return load_mode_; }
    const std::string &pre_tokenizer() const { return pre_tokenizer_; }

private:
    void load_weights(const ModelOptions &options);
    uint64_t make_fingerprint() const;
    void log_opened(double seconds) const;
    void log_unused_tensors() const;

    ModelFiles files_;  // the sources are kept only while the weights are mapped
    MemoryProvider memory_;
    std::optional<Tokenizer> tokenizer_;
    const KernelTable *kernels_ = nullptr;
    std::optional<Blueprint> blueprint_;
    uint64_t fingerprint_ = 0;
    LoadMode load_mode_;
    std::string pre_tokenizer_;
};

// The number of threads that an option of 0 stands for, or the option itself.
uint32_t resolve_thread_count(uint32_t option);

}  // namespace llm
