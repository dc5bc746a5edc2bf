#include "model/architecture.h"

namespace llm {

std::span<const Architecture> architectures() {
    static constexpr Architecture all[] = {
        {"llama", build_llama, true},
        {"bert", build_bert, false, true},
        {"gemma", build_gemma},
        {"gemma2", build_gemma2},
        {"gemma3", build_gemma3},
        {"gpt2", build_gpt2},
        {"gpt-oss", build_gpt_oss, true},
        {"granite", build_granite},
        {"nomic-bert", build_nomic_bert, false, true},
        {"olmo2", build_olmo2},
        {"phi3", build_phi3},
        {"qwen2", build_qwen2},
        {"qwen3", build_qwen3},
        {"qwen3moe", build_qwen3moe, true},
        {"smollm3", build_smollm3},
        {"starcoder2", build_starcoder2},
    };
    return all;
}

const Architecture *find_architecture(std::string_view name) {
    for (const Architecture &architecture : architectures())
        if (architecture.name == name) return &architecture;
    return nullptr;
}

}  // namespace llm
