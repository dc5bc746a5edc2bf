// The text normalization of BERT, on which WordPiece vocabularies are built.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// Appends `text` with every white space as a space, without control characters and ill-formed bytes, and with a space
// on both sides of each ideograph; if `lowercase`, also without accents and in lower case.
void append_bert_normalized(std::string &out, std::string_view text, bool lowercase);

}  // namespace llm
