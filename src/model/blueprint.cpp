#include "model/blueprint.h"

#include "base/error.h"
#include "model/architecture.h"

namespace llm {

namespace {

const Architecture &architecture_of(const GgufFile &file) {
    const auto name = file.get<std::string_view>("general.architecture");
    if (const Architecture *architecture = find_architecture(name)) return *architecture;
    std::string known;
    for (const Architecture &a : architectures()) known += (known.empty() ? "" : ", ") + std::string(a.name);
    fail(LLM_ERROR_UNSUPPORTED, "architecture ", quoted(name), " is not supported (known: ", known, ")");
}

}  // namespace

Blueprint::Blueprint(const GgufFile &file, uint32_t vocabulary_size, LoadMode load, MemoryProvider &memory)
    : weights(file, load, memory) {
    const Architecture &architecture = architecture_of(file);
    parameters = read_hyper_parameters(file, architecture.name, vocabulary_size);
    if (parameters.expert_count != 0 && !architecture.has_experts)
        fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(concat(architecture.name, ".expert_count")), " is ",
             parameters.expert_count, ", this build has no mixture of experts for ", architecture.name);
    GraphBuilder builder(graph);
    architecture.build(builder, weights, parameters, ParameterReader(file, architecture.name));
}

}  // namespace llm
