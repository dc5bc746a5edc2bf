// The vocabularies inside two model files against the ids that a reference engine gives (shared/tokenizer).
#include "golden/tokenizer_golden.h"

#include <cstdlib>

namespace llm::test {

namespace {

// The model named by an environment variable, else the file of that name in the folder that LLM_TEST_MODELS names.
std::string model_path(const char *variable, const std::string &file_name) {
    if (const char *path = std::getenv(variable); path && *path) return path;
    if (const char *folder = std::getenv("LLM_TEST_MODELS"))
        return (std::filesystem::path(folder) / file_name).string();
    return {};
}

void check_model(const char *variable, const std::string &ids_name) {
    const std::string path = model_path(variable, concat(ids_name, ".gguf"));
    if (path.empty() || !std::filesystem::exists(path)) {
        std::printf("SKIPPED: neither %s nor LLM_TEST_MODELS leads to %s.gguf\n", variable, ids_name.c_str());
        return;
    }
    if (have_data(concat("tokenizer/", ids_name, ".ids.json"))) check_vocabulary(path, ids_name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(smollm2) { check_model("LLM_TEST_SMOLLM2", "SmolLM2-135M-Instruct.Q4_1"); }

BOOST_AUTO_TEST_CASE(gemma3) { check_model("LLM_TEST_GEMMA3", "gemma-3-270m-q4_k_m"); }

}  // namespace llm::test
