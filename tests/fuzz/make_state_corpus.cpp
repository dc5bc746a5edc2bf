// Writes states of several lengths into a folder, as the fuzzer's first inputs.
#include "fuzz/state_context.h"

#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    llm::Context &context = llm::test::state_context();
    for (const uint32_t length : {0u, 1u, 64u, 200u}) {
        context.truncate(0, 0);
        const std::vector<llm_token> text(length, 7);
        context.evaluate(0, text, llm::WantedLogits::none);
        const std::vector<uint8_t> state = llm::test::saved_state();
        std::ofstream(folder / ("tokens-" + std::to_string(length)), std::ios::binary)
            .write(reinterpret_cast<const char *>(state.data()), static_cast<std::streamsize>(state.size()));
    }
    return 0;
}
