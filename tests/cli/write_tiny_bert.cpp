// Writes the tests' small encoder to standard output, for tests of programs that open files.
#include "support/tiny_bert.h"

#include <cstdio>

int main() {
    const std::vector<std::uint8_t> bytes = llm::test::tiny_bert().build().bytes;
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}
