// Fuzz target: any bytes as a GGUF file. They are parsed and, when that succeeds, everything is looked up once.
#include "base/error.h"
#include "gguf/gguf_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace llm;

// Typed access may fail by an Error, never otherwise.
template <class Access>
void attempt(Access access) {
    try {
        access();
    } catch (const Error &) {
    }
}

void visit(const GgufFile &file) {
    for (const GgufKey &key : file.keys()) {
        const uint64_t count = std::min<uint64_t>(file.value(key.name).count, 64);
        for (uint64_t i = 0; i < count; ++i) {
            attempt([&] { file.element(key.name, std::array{i}); });
            attempt([&] { file.element(key.name, std::array{i, uint64_t{0}, i}); });
        }
        attempt([&] { file.get<uint32_t>(key.name); });
        attempt([&] { file.get<float>(key.name); });
        attempt([&] { file.get<std::string_view>(key.name); });
        attempt([&] { file.get_array<int64_t>(key.name); });
        attempt([&] { file.find_bytes(key.name); });
        attempt([&] {
            const GgufStrings strings = file.get_strings(key.name);
            for (size_t i = 0; i < strings.size(); ++i) {
                if (strings[i].size() > file.file_size()) std::abort();
            }
        });
    }
    for (const GgufTensor &tensor : file.tensors()) {
        const bool is_inside =
            tensor.offset <= file.file_size() && tensor.byte_count <= file.file_size() - tensor.offset;
        if (!is_inside || file.find_tensor(tensor.name) != &tensor) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    try {
        visit(GgufFile::parse(std::span(data, size)));
    } catch (const Error &error) {
        switch (error.status()) {
            case LLM_ERROR_NOT_GGUF:
            case LLM_ERROR_TRUNCATED:
            case LLM_ERROR_MALFORMED:
            case LLM_ERROR_UNSUPPORTED:
                break;
            default:
                std::abort();
        }
    }
    return 0;
}
