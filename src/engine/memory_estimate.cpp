#include "engine/memory_estimate.h"

#include "kernels/selection.h"

namespace llm {

namespace {

MemoryEstimate estimate(const Blueprint &blueprint, const KernelTable &kernels, const ContextOptions &options) {
    return {blueprint.weights.memory_bytes(), blueprint.weights.mapped_bytes(),
            context_memory(blueprint, kernels, options)};
}

}  // namespace

MemoryEstimate estimate_memory(const Model &model, const ContextOptions &options) {
    if (const Blueprint *blueprint = model.blueprint()) return estimate(*blueprint, model.kernels(), options);
    const size_t vocabulary_size = model.file().get_strings("tokenizer.ggml.tokens").size();
    const Blueprint blueprint(model.file(), static_cast<uint32_t>(vocabulary_size), model.load_mode());
    return estimate(blueprint, active_kernels(), options);
}

}  // namespace llm
