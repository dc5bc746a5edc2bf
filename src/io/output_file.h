// Writing a whole file at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace llm {

// Creates or replaces a file; `path` is UTF-8. The bytes go to `path` + ".part" first, which then takes the name: what
// was there before stays whole when this fails. LLM_ERROR_IO with the path and the system's reason.
void write_file(const std::string &path, std::span<const uint8_t> bytes);

}  // namespace llm
