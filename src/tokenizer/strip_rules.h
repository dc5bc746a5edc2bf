// Which special tokens swallow the spaces beside them. Files do not say; it is known of some models.
#pragma once

#include "tokenizer/vocabulary.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace llm {

inline constexpr uint8_t strip_left = 1;   // the white space in front of the token
inline constexpr uint8_t strip_right = 2;  // and after it

// One element for each token, or none at all where no token of the model strips.
std::vector<uint8_t> strip_rules(const VocabularyData &data, const Vocabulary &vocabulary);

}  // namespace llm
