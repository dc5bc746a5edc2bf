#include "engine/model.h"

#include "base/cpu_budget.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/support.h"
#include "kernels/selection.h"

#include <chrono>

namespace llm {

uint32_t resolve_thread_count(uint32_t option) { return option != 0 ? option : default_thread_count(); }

Model::Model(ModelFiles files, const ModelOptions &options)
    : files_(std::move(files)), memory_(options.max_memory, options.allocator) {
    const auto start = std::chrono::steady_clock::now();
    if (options.depth != OpenDepth::metadata) {
        if (options.depth == OpenDepth::all) {
            files_.require_all_parts();
            options.weights.report(0.0f);  // a large vocabulary takes its time, too
        }
        tokenizer_.emplace(file(), options.pre_tokenizer);
        if (options.depth == OpenDepth::all) load_weights(options);
    }
    if (options.load == LoadMode::packed || !has_weights_) files_.sources.clear();
    log_opened(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void Model::log_opened(double seconds) const {
    if (!log_enabled(LLM_LOG_INFO)) return;
    const ModelFacts facts = read_model_facts(file());
    const std::string weights = has_weights_
                                    ? concat(weights_->memory_bytes(), " bytes of weights on tier ", kernels_->name)
                                    : std::string("no weights");
    log(LLM_LOG_INFO, "model opened in ", seconds, " s: ", quoted(facts.description), ", ", file().file_size(),
        " bytes in ", file().part_count(), file().part_count() == 1 ? " file, " : " files, ", weights);
}

void Model::load_weights(const ModelOptions &options) {
    const auto name = file().get<std::string_view>("general.architecture");
    const Architecture *architecture = find_architecture(name);
    if (!architecture) {
        std::string known;
        for (const Architecture &a : architectures()) known += (known.empty() ? "" : ", ") + std::string(a.name);
        fail(LLM_ERROR_UNSUPPORTED, "architecture ", quoted(name), " is not supported (known: ", known, ")");
    }
    kernels_ = options.kernels ? options.kernels : &active_kernels();
    parameters_ = read_hyper_parameters(file(), name, tokenizer_->size());
    if (parameters_.expert_count != 0 && !architecture->has_experts)
        fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(concat(name, ".expert_count")), " is ", parameters_.expert_count,
             ", this build has no mixture of experts for ", name);
    weights_.emplace(file(), options.load, memory_);
    GraphBuilder builder(graph_);
    architecture->build(builder, *weights_, parameters_, ParameterReader(file(), name));

    ThreadTeam team(resolve_thread_count(options.thread_count));
    weights_->load(files_.sources, team, options.weights);
    for (RopeTable &table : graph_.rope_tables) table.compute();
    has_weights_ = true;
    if (const size_t unused = file().tensors().size() - weights_->tensor_count(); unused != 0)
        log(LLM_LOG_INFO, unused, " of the file's ", file().tensors().size(), " tensors are not used");
}

}  // namespace llm
