// The architectures that this build knows, one file each.
#pragma once

#include "model/graph.h"
#include "model/hyper_parameters.h"

#include <span>
#include <string_view>

namespace llm {

// Writes down the forward pass of a model and declares the tensors that it needs.
using BuildGraph = void (*)(GraphBuilder &graph, WeightSet &weights, const HyperParameters &parameters,
                            const ParameterReader &read);

struct Architecture {
    std::string_view name;  // general.architecture
    BuildGraph build;
    bool has_experts = false;
    bool is_encoder = false;
};

std::span<const Architecture> architectures();

// nullptr when the name is not known.
const Architecture *find_architecture(std::string_view name);

void build_bert(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_gemma(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_gemma2(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_gemma3(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_gpt2(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_gpt_oss(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_granite(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_llama(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_nomic_bert(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_olmo2(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_phi3(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_qwen2(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_qwen3(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_qwen3moe(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_smollm3(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);
void build_starcoder2(GraphBuilder &, WeightSet &, const HyperParameters &, const ParameterReader &);

}  // namespace llm
