#include "engine/model.h"

#include "base/cpu_budget.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "kernels/selection.h"

#include <algorithm>

namespace llm {

uint32_t resolve_thread_count(uint32_t option) { return option != 0 ? option : default_thread_count(); }

Model::Model(std::unique_ptr<ByteSource> source, const ModelOptions &options)
    : source_(std::move(source)), file_(GgufFile::parse(*source_)) {
    if (options.depth != OpenDepth::metadata) {
        tokenizer_.emplace(file_, options.pre_tokenizer);
        if (options.depth == OpenDepth::all) load_weights(options);
    }
    if (options.load == LoadMode::packed || !has_weights_) source_.reset();
}

void Model::load_weights(const ModelOptions &options) {
    const auto name = file_.get<std::string_view>("general.architecture");
    const Architecture *architecture = find_architecture(name);
    if (!architecture) {
        std::string known;
        for (const Architecture &a : architectures()) known += (known.empty() ? "" : ", ") + std::string(a.name);
        fail(LLM_ERROR_UNSUPPORTED, "architecture ", quoted(name), " is not supported (known: ", known, ")");
    }
    kernels_ = options.kernels ? options.kernels : &active_kernels();
    parameters_ = read_hyper_parameters(file_, name, tokenizer_->size());
    if (parameters_.expert_count != 0 && !architecture->has_experts)
        fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(concat(name, ".expert_count")), " is ", parameters_.expert_count,
             ", this build has no mixture of experts for ", name);
    weights_.emplace(file_, options.load);
    GraphBuilder builder(graph_);
    architecture->build(builder, *weights_, parameters_, ParameterReader(file_, name));

    ThreadTeam team(resolve_thread_count(options.thread_count));
    weights_->load(
        *source_, team, options.progress ? options.progress : [](float) { return true; });
    for (RopeTable &table : graph_.rope_tables) table.compute();
    fingerprint_ = make_fingerprint();
    has_weights_ = true;
    if (const size_t unused = file_.tensors().size() - weights_->tensor_count(); unused != 0)
        log(LLM_LOG_INFO, unused, " of the file's ", file_.tensors().size(), " tensors are not used");
}

uint64_t Model::make_fingerprint() const {
    uint64_t hash = hash_bytes(file_.header());
    for (const GgufTensor &tensor : file_.tensors()) {
        uint8_t sample[256];
        const auto bytes = std::span(sample).first(std::min<uint64_t>(tensor.byte_count, sizeof sample));
        source_->copy_to(tensor.offset + (tensor.byte_count - bytes.size()) / 2, bytes);
        hash = hash_bytes(bytes, hash ^ tensor.type_number);
    }
    return hash;
}

}  // namespace llm
