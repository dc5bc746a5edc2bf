// U+2581, by which SentencePiece and its followers write a space in the spelling of a token.
#pragma once

#include <string>
#include <string_view>

namespace llm {

inline constexpr std::string_view written_space = "\xE2\x96\x81";

// Appends `text` with every written space as a space.
void append_with_spaces(std::string &out, std::string_view text);

}  // namespace llm
