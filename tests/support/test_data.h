// Where the tests find reference data that is not in the repository.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace llm::test {

// The data folder: LLM_TEST_DATA, else `shared` beside the checkout.
inline std::filesystem::path data_folder() {
    if (const char *folder = std::getenv("LLM_TEST_DATA")) return folder;
    return std::filesystem::path(LLM_SOURCE_DIR) / ".." / "shared";
}

// True when data_folder() / `name` exists; otherwise prints the line by which ctest counts the test as skipped.
inline bool have_data(const std::string &name) {
    if (std::filesystem::exists(data_folder() / name)) return true;
    std::printf("SKIPPED: no %s in %s\n", name.c_str(), data_folder().string().c_str());
    return false;
}

}  // namespace llm::test
