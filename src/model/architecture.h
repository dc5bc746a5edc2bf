// The architectures that this build knows, one file each.
#pragma once

#include "model/graph.h"
#include "model/hyper_parameters.h"

#include <span>
#include <string_view>

namespace llm {

// Writes down the forward pass of a model and declares the tensors that it needs.
using BuildGraph = void (*)(GraphBuilder &graph, WeightSet &weights, const HyperParameters &parameters);

struct Architecture {
    std::string_view name;  // general.architecture
    BuildGraph build;
};

std::span<const Architecture> architectures();

// nullptr when the name is not known.
const Architecture *find_architecture(std::string_view name);

void build_llama(GraphBuilder &graph, WeightSet &weights, const HyperParameters &parameters);

}  // namespace llm
