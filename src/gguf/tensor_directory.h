// The tensor directory of a GGUF header.
#pragma once

#include "gguf/gguf_file.h"
#include "gguf/header_reader.h"

#include <cstdint>
#include <vector>

namespace llm {

// Bytes of the smallest entry.
uint64_t smallest_tensor_entry(uint32_t length_size);

// Reads `count` entries, a number already checked against the bytes left. Offsets are as in the file: from the start
// of the data.
std::vector<GgufTensor> read_tensors(HeaderReader &reader, uint64_t count);

// Makes the offsets absolute and proves every tensor aligned, inside the file and apart from the others.
void place_tensors(std::vector<GgufTensor> &tensors, uint64_t data_offset, uint64_t alignment, uint64_t file_size);

}  // namespace llm
