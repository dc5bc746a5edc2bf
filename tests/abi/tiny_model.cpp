// tiny_model PATH: writes the small Llama model of the tests into a file, for programs in C.
#include "support/tiny_llama.h"

#include <fstream>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const std::vector<uint8_t> bytes = llm::test::tiny_llama().bytes();
    std::ofstream file(argv[1], std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.flush() ? 0 : 1;
}
