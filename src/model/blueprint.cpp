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
    const ParameterReader read(file, architecture.name);
    architecture.build(builder, weights, parameters, read);
    const bool is_causal = !graph.encoding;
    if (read.flag_or("attention.causal", is_causal) != is_causal)
        fail(LLM_ERROR_UNSUPPORTED, "key ", quoted(read.full_key("attention.causal")), " is ",
             is_causal ? "false" : "true", ", this build has no ",
             is_causal ? "decoders that see what follows" : "causal encoders");
}

}  // namespace llm
