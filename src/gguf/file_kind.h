// What a file that is not GGUF probably is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace llm {

// A clause for a message ("it is a ZIP archive"), from the first bytes of the file; 16 are enough.
std::string_view guess_file_kind(std::span<const uint8_t> head);

}  // namespace llm
