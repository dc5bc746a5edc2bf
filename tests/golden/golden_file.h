// Reads what a reference engine computed: a GGUF file of tensors "prompt.<k>.ids", ".logits", ".greedy", ...
#pragma once

#include "gguf/gguf_file.h"
#include "io/byte_source.h"

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace llm::test {

class GoldenFile {
public:
    explicit GoldenFile(const std::string &path) : source_(open_file_source(path)), file_(GgufFile::parse(*source_)) {}

    bool has(int prompt, const std::string &what) const { return file_.find_tensor(name(prompt, what)) != nullptr; }

    // T is float or int32_t, as the tensor's type is.
    template <class T>
    std::vector<T> read(int prompt, const std::string &what) const {
        return read<T>(name(prompt, what));
    }
    template <class T>
    std::vector<T> read(const std::string &tensor_name) const {
        const GgufTensor *tensor = file_.find_tensor(tensor_name);
        if (!tensor) fail(LLM_ERROR_NOT_FOUND, "golden tensor ", tensor_name);
        std::vector<uint8_t> bytes(tensor->byte_count);
        source_->copy_to(tensor->offset, bytes);
        std::vector<T> out(bytes.size() / sizeof(T));
        std::memcpy(out.data(), bytes.data(), bytes.size());
        return out;
    }

    const GgufFile &file() const { return file_; }

private:
    static std::string name(int prompt, const std::string &what) {
        return "prompt." + std::to_string(prompt) + "." + what;
    }

    std::unique_ptr<ByteSource> source_;
    GgufFile file_;
};

// Normalized mean squared error: sum of squared differences / sum of squared golden values.
inline double nmse(std::span<const float> found, std::span<const float> golden) {
    double difference = 0.0, size = 0.0;
    for (size_t i = 0; i < golden.size(); ++i) {
        const double d = double{found[i]} - golden[i];
        difference += d * d;
        size += double{golden[i]} * golden[i];
    }
    return difference / size;
}

}  // namespace llm::test
