// The layout in which weights are computed with ("P16"), and the conversion to it.
//
// Sixteen consecutive rows of a matrix form a group. A packed group holds, for each block of the format along the row,
// one packed block of all sixteen rows; blocks ascend along the row, groups along the rows. The last group of a
// matrix is padded with zero rows. Within a packed block, lane r belongs to row r of the group:
//
//   "f16[16]"      sixteen half floats, one for each row
//   "u8[n][16]"    n rows of sixteen bytes, byte r of each for row r
//   "dwords[n]"    n vectors of 64 bytes; bytes 4r .. 4r+3 of each (little-endian u32) are row r's
//
// Every quantized format is cut into units of 32 elements. Element e = 4g + b of a unit (g = 0..7, b = 0..3) is held
// in byte b of its row's dword:
//
//   nibbles        4 vectors: vector v has, in the low half of byte b, element 4v + b, in the high half 16 + 4v + b
//   ones plane     1 vector:  bit g of byte b is one bit of element 4g + b
//   twos plane     2 vectors: bits 2g and 2g+1 of byte b of vector h are two bits of element 16h + 4g + b, g = 0..3
//   bytes          8 vectors: byte b of vector g is element 4g + b
//
// The packed block of each format, fields in this order; u = index of the unit in the block:
//
//   Q4_0    d f16[16]                nibbles                                   value d * (q - 8)
//   Q4_1    d f16[16]  m f16[16]     nibbles                                   value d * q + m
//   Q5_0    d f16[16]                ones plane (bit 4)  nibbles               value d * (q - 16)
//   Q5_1    d f16[16]  m f16[16]     ones plane (bit 4)  nibbles               value d * q + m
//   Q8_0    d f16[16]                bytes, stored as q + 128                  value d * q
//   IQ4_NL  d f16[16]                nibbles (indexes of the table T)          value d * T[q]
//   MXFP4   e u8[16]                 nibbles (indexes of the table F)          value 2^(e-127) * F[q] / 2, F doubled
//   Q4_K    d f16[16]  dmin f16[16]  sc u8[8][16]  mn u8[8][16]  then for each unit: nibbles
//                                                                              value d * sc[u] * q - dmin * mn[u]
//   Q5_K    d f16[16]  dmin f16[16]  sc u8[8][16]  mn u8[8][16]  then for each unit: ones plane (bit 4), nibbles
//                                                                              value as Q4_K
//   IQ4_XS  d f16[16]  sc i8[8][16] (scale - 32)  then for each unit: nibbles  value d * sc[u] * T[q]
//   Q2_K    d f16[16]  dmin f16[16]  sm u8[16][16] (low half scale, high half minimum; as in the file)
//           then for each unit: twos plane (bits 0-1)                          value d * sc[h] * q - dmin * mn[h]
//   Q3_K    d f16[16]  sc i8[16][16] (scale - 32)
//           then for each unit: twos plane (bits 0-1), ones plane (bit 2)      value d * sc[h] * (q - 4)
//   Q6_K    d f16[16]  sc i8[16][16]
//           then for each unit: twos plane (bits 4-5), nibbles (bits 0-3)      value d * sc[h] * (q - 32)
//           (h = index of the half unit of 16 elements in the block: 2u for e < 16, 2u + 1 for the others)
//   F32, F16, BF16   a block is one column: 16 elements, one for each row
//
// The products d * sc and dmin * mn are exact in single precision. The same blocks as structures: packed_blocks.h.
#pragma once

#include "gguf/tensor_type.h"

#include <cstddef>
#include <cstdint>

namespace llm {

inline constexpr uint32_t rows_per_group = 16;
inline constexpr uint32_t unit_length = 32;

// True for the types that have a packed layout, that is, which matrices can be computed with.
bool is_packable(TensorType type);

// The functions below fail with LLM_ERROR_INTERNAL for other types.

// Bytes of one packed group of a matrix with `columns` columns (a multiple of the type's block length).
size_t packed_group_bytes(TensorType type, uint64_t columns);

// Packs `row_count` (1..16) rows, each `row_bytes` apart and in the file's layout, into one group at `out` (64-byte
// aligned). Missing rows are filled with zeros.
void pack_group(uint8_t *out, TensorType type, const uint8_t *rows, size_t row_bytes, uint32_t row_count,
                uint64_t columns);

// Expands row `lane` (0..15) of a packed group to floats: the value that dequantize_row() gives for the same row.
void dequantize_packed_row(float *out, TensorType type, const uint8_t *group, uint32_t lane, uint64_t columns);

}  // namespace llm
