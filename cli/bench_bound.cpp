// What is read and computed, from the tensors of the model's file, which have the names that GGUF prescribes.
#include "bench_bound.h"

#include <algorithm>

namespace cli {
namespace {

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

// A table of which each token takes one row.
bool is_lookup_table(std::string_view name) { return ends_with_any(name, {"_embd.weight", "token_types.weight"}); }

bool is_of_experts(std::string_view name) { return name.find("_exps.") != std::string_view::npos; }

std::uint64_t metadata_number(const llm_model *model, const std::string &key, std::uint64_t otherwise) {
    llm_value value = LLM_VALUE_INIT;
    if (llm_metadata_get(&value, model, key.c_str()) != LLM_OK || value.type != LLM_VALUE_U32 || value.u == 0)
        return otherwise;
    return value.u;
}

double product_count(const llm_tensor &tensor) {
    if (tensor.dimension_count < 2) return 0;
    double count = 1;
    for (const std::uint64_t size : tensor.shape) count *= double(size);
    return count;
}

}  // namespace

ModelWork::ModelWork(const llm_model *model) {
    const std::string prefix = std::string(model_info(model).architecture) + ".";
    attention_window_ = metadata_number(model, prefix + "attention.sliding_window", SIZE_MAX);
    const auto experts = metadata_number(model, prefix + "expert_count", 1);
    const auto experts_used = metadata_number(model, prefix + "expert_used_count", experts);
    const double used_share = std::min(1.0, double(experts_used) / double(experts));

    const std::vector<llm_tensor> all = tensors(model);
    const auto named = [](std::string_view name) {
        return [name](const llm_tensor &tensor) { return tensor.name == name; };
    };
    const bool has_output = std::any_of(all.begin(), all.end(), named("output.weight"));
    const std::string_view output = has_output ? "output.weight" : "token_embd.weight";
    for (const llm_tensor &tensor : all) {
        if (tensor.name == output) {
            output_bytes_ = double(tensor.byte_count);
            output_products_ = product_count(tensor);
        } else if (!is_lookup_table(tensor.name)) {
            add(tensor, is_of_experts(tensor.name) ? used_share : 1);
        }
    }
}

void ModelWork::add(const llm_tensor &tensor, double share) {
    layer_bytes_ += share * double(tensor.byte_count);
    layer_products_ += share * product_count(tensor);
}

Bound ModelWork::bound(const BenchTest &test, const llm_context_info &context, const MachineRates &machine) const {
    const bool is_prompt = test.kind == BenchTest::Kind::prompt;
    const std::size_t together = is_prompt ? test.count : 1;  // tokens of a sequence in one evaluation
    const double sequences = double(test.sequences);
    const double cache_bytes_of_token =
        double(context.cache_bytes) / (double(context.context_length) * context.max_sequences);

    // Every batch of an evaluation reads all weights of the layers and, at least once, the keys and values of the
    // tokens before it; the output matrix is read for the last one.
    double bytes = 0, outputs = 0;
    for (std::size_t i = 0; i < test.count; i += together) {
        const std::size_t batches = (together * test.sequences + context.batch_size - 1) / context.batch_size;
        const std::size_t batches_of_sequence = (together + context.batch_size - 1) / context.batch_size;
        bytes += double(batches) * layer_bytes_ + output_bytes_;
        outputs += sequences;
        for (std::size_t j = 0; j < batches_of_sequence; j++) {
            const std::size_t tokens_before = test.depth + i + j * context.batch_size;
            bytes += sequences * cache_bytes_of_token * double(std::min(tokens_before, attention_window_));
        }
    }
    const double tokens = double(test.count) * sequences;
    const double products = tokens * layer_products_ + outputs * output_products_;

    const double reading = bytes / machine.bytes_read, computing = products / machine.int8_products;
    return {machine, tokens / std::max(reading, computing), reading >= computing ? "memory" : "compute"};
}

}  // namespace cli
