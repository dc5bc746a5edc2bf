// The header and the library from C++: versions agree, and an error comes back as a status with a text.
#include <llm/llm.h>

#include <cstdio>
#include <memory>
#include <string>

int main() {
    if (llm_version() != LLM_VERSION || llm_abi_version() != LLM_ABI_VERSION) return 1;
    const std::unique_ptr<llm_model, void (*)(llm_model *)> nothing(nullptr, llm_model_close);
    llm_model *model = nullptr;
    if (llm_model_open(&model, "/nonexistent/model.gguf", nullptr) != LLM_ERROR_IO || model != nullptr) return 2;
    std::string text(256, '\0');
    std::size_t length = 0;
    if (llm_last_error(text.data(), text.size(), &length) != LLM_OK || length == 0) return 3;
    std::printf("libllm %s: %s\n", llm_version_string(), text.c_str());
    return 0;
}
