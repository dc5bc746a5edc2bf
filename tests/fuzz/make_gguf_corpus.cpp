// Writes legal GGUF files into a folder, as the fuzzer's first inputs.
#include "support/tiny_llama.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace llm::test;

namespace {

void write(const std::filesystem::path &path, const std::vector<uint8_t> &bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Some of everything, in few bytes.
GgufBuilder mixed_file(uint32_t version) {
    GgufBuilder builder(version);
    builder.set("general.architecture", "llama").set("general.alignment", uint32_t{32});
    builder.set("u8", uint8_t{1}).set("i8", int8_t{-1}).set("u16", uint16_t{1}).set("i16", int16_t{-1});
    builder.set("i32", int32_t{-1}).set("u64", uint64_t{1}).set("i64", int64_t{-1});
    builder.set("f32", 0.5f).set("f64", 0.5).set("bool", true);
    builder.set_strings("texts", {"one", "", "three"}).set_array<int16_t>("numbers", {1, 2, 3});
    ByteWriter nested;
    nested.put(uint32_t{0});
    GgufBuilder::put_length(nested, 2, version);
    nested.put(uint8_t{5}).put(uint8_t{6});
    builder.set_array_raw("nested", array_type_number, 1, nested.bytes());
    builder.add_tensor("a", {32, 2}, 8, std::vector<uint8_t>(68)).add_tensor("b", {3}, 0, std::vector<uint8_t>(12));
    return builder;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    for (const uint32_t version : {1u, 2u, 3u}) {
        write(folder / ("mixed-v" + std::to_string(version)), mixed_file(version).bytes());
    }
    const BuiltGguf model = tiny_llama().build();
    const auto header_end = model.bytes.begin() + static_cast<std::ptrdiff_t>(model.places.at("data"));
    write(folder / "model-header", {model.bytes.begin(), header_end});
    return 0;
}
