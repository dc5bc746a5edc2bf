// Parses a damaged file and checks what came of it.
#pragma once

#include "base/error.h"
#include "support/gguf_builder.h"

#include <cstdint>
#include <source_location>
#include <string_view>
#include <vector>

namespace llm::test {

// The file must be refused with this status and a text that contains `text`.
void check_refused(const std::vector<uint8_t> &bytes, llm_status status, std::string_view text,
                   std::source_location where = std::source_location::current());

// The legal twin of a refused file.
void check_loads(const std::vector<uint8_t> &bytes, std::source_location where = std::source_location::current());

// Any of the four statuses of a bad file, or success. Returns it.
llm_status check_survives(const std::vector<uint8_t> &bytes);

// Every check above also demands that not more memory was taken than the file's size and 16 MiB, that it took less
// than a second, and that the text of a refusal is one printable line.
}  // namespace llm::test
