// A folder of its own for each test, gone afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>
#include <vector>

namespace llm::test {

struct TemporaryFolder {
    TemporaryFolder()
        : path(std::filesystem::temp_directory_path() / ("llm-test-" + std::to_string(std::random_device()()))) {
        std::filesystem::create_directory(path);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }

    std::string write(const std::string &name, const std::vector<uint8_t> &bytes) const {
        std::ofstream out(path / name, std::ios::binary);
        out.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return (path / name).string();
    }

    const std::filesystem::path path;
};

}  // namespace llm::test
