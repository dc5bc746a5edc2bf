// The two matrix products of attention for a block of up to six query rows and one page of the cache, in registers.
#pragma once

#include "kernels/avx512/simd.h"
#include "kernels/kernel_table.h"

namespace llm::avx512 {

// With four vectors for each row, six rows leave enough registers for a step's keys or values.
inline constexpr uint32_t block_rows = 6;
inline constexpr uint32_t tile_positions = 16;
inline constexpr uint32_t row_lanes = tile_positions;
inline constexpr uint32_t page_tiles = page_positions / tile_positions;

// Sixteen elements of a cache as floats; the masked forms read the lanes of the mask only.
LLM_SIMD __m512 load_elements(const float *p) { return _mm512_loadu_ps(p); }
LLM_SIMD __m512 load_elements(const Half *p) { return load_f16(p); }
LLM_SIMD __m512 load_elements(const BrainFloat *p) { return load_bf16(p); }
LLM_SIMD __m512 load_elements(const float *p, __mmask16 mask) { return _mm512_maskz_loadu_ps(mask, p); }
LLM_SIMD __m512 load_elements(const Half *p, __mmask16 mask) {
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(mask, p));
}
LLM_SIMD __m512 load_elements(const BrainFloat *p, __mmask16 mask) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, p)), 16));
}

// Asks for `bytes` bytes that will be needed in the next step: into the second level, as the first one is full of what
// this step needs.
template <size_t bytes>
LLM_SIMD void prefetch_bytes(const void *from) {
    constexpr size_t line_bytes = 64;
    LLM_UNROLL
    for (size_t i = 0; i < bytes; i += line_bytes) __builtin_prefetch(static_cast<const uint8_t *>(from) + i, 0, 2);
}

// scores[r][j] = scale * dot(query[r], key[j]) for all positions of a page; lanes are positions. As many bytes as are
// read here are prefetched from `ahead`.
template <int rows, class Key>
void score_rows(float *scores, const float *query, size_t query_stride, const Key *keys, const void *ahead,
                uint32_t head_length, float scale) {
    const size_t tile_stride = size_t{head_length} * tile_positions;
    __m512 sum[rows][page_tiles];
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL
        for (uint32_t t = 0; t < page_tiles; ++t) sum[r][t] = _mm512_setzero_ps();
    }
    for (uint32_t d = 0; d < head_length; ++d, keys += tile_positions) {
        prefetch_bytes<page_positions * sizeof(Key)>(static_cast<const Key *>(ahead) + size_t{d} * page_positions);
        __m512 key[page_tiles];
        LLM_UNROLL
        for (uint32_t t = 0; t < page_tiles; ++t) key[t] = load_elements(keys + t * tile_stride);
        LLM_UNROLL
        for (int r = 0; r < rows; ++r) {
            const __m512 q = _mm512_set1_ps(query[r * query_stride + d]);
            LLM_UNROLL
            for (uint32_t t = 0; t < page_tiles; ++t) sum[r][t] = _mm512_fmadd_ps(q, key[t], sum[r][t]);
        }
    }
    const __m512 scales = _mm512_set1_ps(scale);
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL
        for (uint32_t t = 0; t < page_tiles; ++t)
            _mm512_storeu_ps(scores + r * page_positions + t * tile_positions, _mm512_mul_ps(sum[r][t], scales));
    }
}

// weighted[r][d] += p[r][j] * values[j][d] for the positions first <= j < last, ascending, and `vectors` times sixteen
// dimensions, of which the mask cuts the last ones; lanes are dimensions. Prefetches like score_rows().
template <int rows, int vectors, class Value>
LLM_SIMD void weigh_dimensions(float *weighted, const float *p, const Value *values, const Value *ahead,
                               uint32_t head_length, uint32_t first, uint32_t last, __mmask16 mask) {
    __m512 sum[rows][vectors];
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v) sum[r][v] = load_elements(weighted + r * head_length + v * 16, mask);
    }
    for (uint32_t j = first; j < last; ++j) {
        const Value *at = values + j * head_length;
        prefetch_bytes<vectors * 16 * sizeof(Value)>(ahead + j * head_length);
        __m512 value[vectors];
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v)
            value[v] = vectors == 1 ? load_elements(at, mask) : load_elements(at + v * 16);
        LLM_UNROLL
        for (int r = 0; r < rows; ++r) {
            const __m512 factor = _mm512_set1_ps(p[r * page_positions + j]);
            LLM_UNROLL
            for (int v = 0; v < vectors; ++v) sum[r][v] = _mm512_fmadd_ps(factor, value[v], sum[r][v]);
        }
    }
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v) _mm512_mask_storeu_ps(weighted + r * head_length + v * 16, mask, sum[r][v]);
    }
}

// The same for all dimensions.
template <int rows, class Value>
void weigh_rows(float *weighted, const float *p, const Value *values, const void *ahead, uint32_t head_length,
                uint32_t first, uint32_t last) {
    constexpr __mmask16 all = 0xffff;
    const auto *next = static_cast<const Value *>(ahead);
    uint32_t d = 0;
    for (; d + 64 <= head_length; d += 64)
        weigh_dimensions<rows, 4>(weighted + d, p, values + d, next + d, head_length, first, last, all);
    for (; d + 32 <= head_length; d += 32)
        weigh_dimensions<rows, 2>(weighted + d, p, values + d, next + d, head_length, first, last, all);
    for (; d < head_length; d += 16)
        weigh_dimensions<rows, 1>(weighted + d, p, values + d, next + d, head_length, first, last,
                                  first_lanes(head_length - d));
}

// The functions above by number of rows - 1.
template <class Key>
inline constexpr decltype(&score_rows<1, Key>) score_block[block_rows] = {score_rows<1, Key>, score_rows<2, Key>,
                                                                          score_rows<3, Key>, score_rows<4, Key>,
                                                                          score_rows<5, Key>, score_rows<6, Key>};
template <class Value>
inline constexpr decltype(&weigh_rows<1, Value>) weigh_block[block_rows] = {weigh_rows<1, Value>, weigh_rows<2, Value>,
                                                                            weigh_rows<3, Value>, weigh_rows<4, Value>,
                                                                            weigh_rows<5, Value>, weigh_rows<6, Value>};

}  // namespace llm::avx512
