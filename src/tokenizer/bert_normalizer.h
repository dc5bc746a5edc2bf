// The text normalization of BERT, on which WordPiece vocabularies are built.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// Appends `text` with every white space as a space, without control characters and ill-formed bytes, and with a space
// on both sides of each ideograph; if `strip_accents`, decomposed and without accents, and if `lowercase`, in lower
// case.
void append_bert_normalized(std::string &out, std::string_view text, bool lowercase, bool strip_accents);

}  // namespace llm
