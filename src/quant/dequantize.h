// The meaning of every block format: the reference that all else is tested against. Never optimised.
#pragma once

#include "gguf/tensor_type.h"

#include <cstdint>

namespace llm {

// True for the types that dequantize_row() knows.
bool is_dequantizable(TensorType type);

// Expands one row of `columns` elements (a multiple of the type's block length) from the file's layout, which may start
// at any address. Fails with LLM_ERROR_INTERNAL for types that it does not know.
void dequantize_row(float *out, TensorType type, const uint8_t *row, uint64_t columns);

}  // namespace llm
