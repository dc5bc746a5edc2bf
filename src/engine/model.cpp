#include "engine/model.h"

#include "base/cpu_budget.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "engine/support.h"
#include "kernels/selection.h"

#include <algorithm>
#include <chrono>

namespace llm {

uint32_t resolve_thread_count(uint32_t option) { return option != 0 ? option : default_thread_count(); }

Model::Model(ModelFiles files, const ModelOptions &options)
    : files_(std::move(files)),
      memory_(options.max_memory, options.allocator),
      load_mode_(options.load),
      pre_tokenizer_(options.pre_tokenizer) {
    const auto start = std::chrono::steady_clock::now();
    if (options.depth != OpenDepth::metadata) {
        if (options.depth == OpenDepth::all) {
            files_.require_all_parts();
            options.weights.report(0.0f);  // a large vocabulary takes its time, too
        }
        tokenizer_.emplace(file(), options.pre_tokenizer);
        if (options.depth == OpenDepth::all) load_weights(options);
    }
    if (options.load == LoadMode::packed || !blueprint_) files_.sources.clear();
    log_opened(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void Model::log_opened(double seconds) const {
    if (!log_enabled(LLM_LOG_INFO)) return;
    const ModelFacts facts = read_model_facts(file());
    const std::string weights =
        blueprint_ ? concat(weight_bytes(), " bytes of weights on tier ", kernels_->name) : std::string("no weights");
    log(LLM_LOG_INFO, "model opened in ", seconds, " s: ", quoted(facts.description), ", ", file().file_size(),
        " bytes in ", file().part_count(), file().part_count() == 1 ? " file, " : " files, ", weights);
}

void Model::load_weights(const ModelOptions &options) {
    kernels_ = options.kernels ? options.kernels : &active_kernels();
    auto &[parameters, weights, graph] = blueprint_.emplace(file(), tokenizer_->size(), options.load, memory_);
    ThreadTeam team(resolve_thread_count(options.thread_count));
    weights.load(files_.sources, team, options.weights);
    for (RopeTable &table : graph.rope_tables) table.compute();
    fingerprint_ = make_fingerprint();
    log_unused_tensors();
}

void Model::log_unused_tensors() const {
    constexpr size_t most_names = 8;
    const std::set<const GgufTensor *> used = blueprint_->weights.tensors();
    const size_t unused = file().tensors().size() - used.size();
    if (unused == 0 || !log_enabled(LLM_LOG_INFO)) return;
    std::string names;
    size_t named = 0;
    for (const GgufTensor &tensor : file().tensors()) {
        if (used.contains(&tensor)) continue;
        names += concat(named == 0 ? ": " : ", ", quoted(tensor.name));
        if (++named == most_names) break;
    }
    log(LLM_LOG_INFO, unused, " of the file's ", file().tensors().size(), " tensors are not used", names,
        unused > named ? ", ..." : "");
}

uint64_t Model::make_fingerprint() const {
    uint64_t hash = hash_bytes(file().header());
    for (const GgufTensor &tensor : file().tensors()) {
        uint8_t sample[256];
        const auto bytes = std::span(sample).first(std::min<uint64_t>(tensor.byte_count, sizeof sample));
        files_.sources[tensor.part]->copy_to(tensor.offset + (tensor.byte_count - bytes.size()) / 2, bytes);
        hash = hash_bytes(bytes, hash ^ tensor.type_number);
    }
    return hash;
}

}  // namespace llm
