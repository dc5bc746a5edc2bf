#include "model/architecture.h"

namespace llm {

std::span<const Architecture> architectures() {
    static constexpr Architecture all[] = {
        {"llama", build_llama},
        {"gemma", build_gemma},
        {"gemma2", build_gemma2},
        {"gemma3", build_gemma3},
    };
    return all;
}

const Architecture *find_architecture(std::string_view name) {
    for (const Architecture &architecture : architectures())
        if (architecture.name == name) return &architecture;
    return nullptr;
}

}  // namespace llm
