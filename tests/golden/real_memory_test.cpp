// What real models take in the process is what llm_memory_estimate() said, to 5 percent.
#include "support/session.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace llm::test {

namespace {

constexpr double allowed_deviation = 0.05;

// Resident memory now, in bytes; 0 where the system does not tell.
double resident_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) * 1024;
    return 0.0;
}

llm_memory estimate(const char *path, const llm_context_options &options) {
    llm_model_options metadata = LLM_MODEL_OPTIONS_INIT;
    metadata.open = LLM_OPEN_METADATA;
    llm_memory memory = LLM_MEMORY_INIT;
    check(llm_memory_estimate(&memory, open_model(path, &metadata).get(), &options));
    return memory;
}

// Vocabulary and metadata come on top of the estimate. They are measured first, and stay.
void check_model(const char *variable) {
    const char *path = std::getenv(variable);
    if (!path || resident_bytes() == 0.0) {
        std::printf("SKIPPED: %s does not name the model, or the system does not tell what is resident\n", variable);
        return;
    }
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    options.context_length = 1024;
    const llm_memory memory = estimate(path, options);
    const double expected = double(memory.weight_bytes + memory.cache_bytes + memory.scratch_bytes);

    const double before = resident_bytes();
    llm_model_options vocabulary = LLM_MODEL_OPTIONS_INIT;
    vocabulary.open = LLM_OPEN_VOCABULARY;
    const ModelPointer vocabulary_only = open_model(path, &vocabulary);
    const double with_vocabulary = resident_bytes();

    const ModelPointer model = open_model(path);
    Session session(model.get(), options);
    session.evaluate(std::vector<llm_token>(1024, 1000));
    const double found = resident_bytes() - with_vocabulary - (with_vocabulary - before);
    std::printf("%s: %.1f MB expected, %.1f MB found\n", variable, expected / 1e6, found / 1e6);
    BOOST_TEST(std::abs(found - expected) <= allowed_deviation * expected);
}

}  // namespace

BOOST_AUTO_TEST_CASE(smollm2) { check_model("LLM_TEST_SMOLLM2"); }

BOOST_AUTO_TEST_CASE(gemma3) { check_model("LLM_TEST_GEMMA3"); }

}  // namespace llm::test
