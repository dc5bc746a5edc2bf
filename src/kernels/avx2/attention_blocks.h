// The two matrix products of attention for a block of up to six query rows and one page of the cache, in registers.
#pragma once

#include "kernels/avx2/elementary.h"
#include "kernels/kernel_table.h"

#define LLM_UNROLL_BLOCK _Pragma("GCC unroll 16")

namespace llm::avx2 {

inline constexpr uint32_t row_lanes = 0;
inline constexpr uint32_t block_rows = 6;
inline constexpr uint32_t tile_positions = 16;

// Vectors for each of `rows` rows: at least eight chains of additions hide their latency, more than twelve do not fit
// into the registers.
constexpr int vectors_for(int rows) { return rows == 1 ? 8 : rows == 2 ? 4 : 2; }

// Eight elements of a cache as floats.
inline __m256 load_elements(const float *p) { return _mm256_loadu_ps(p); }
inline __m256 load_elements(const Half *p) { return load_halves(p); }
inline __m256 load_elements(const BrainFloat *p) { return load_upper_halves(p); }

// Asks for `bytes` bytes that will be needed in the next step: into the second level, as the first one is full of what
// this step needs.
template <size_t bytes>
inline void prefetch_bytes(const void *from) {
    constexpr size_t line_bytes = 64;
    LLM_UNROLL_BLOCK
    for (size_t i = 0; i < bytes; i += line_bytes) __builtin_prefetch(static_cast<const uint8_t *>(from) + i, 0, 2);
}

// scores[r][j] = scale * dot(query[r], key[j]) for the 8 * vectors positions from the start of a tile on; lanes are
// positions.
template <int rows, int vectors, class Key>
inline void score_tiles(float *scores, const float *query, size_t query_stride, const Key *keys, const Key *ahead,
                        uint32_t head_length, float scale) {
    const size_t tile_stride = size_t{head_length} * tile_positions;
    __m256 sum[rows][vectors];
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_setzero_ps();
    }
    for (uint32_t d = 0; d < head_length; ++d, keys += tile_positions) {
        prefetch_bytes<vectors * 8 * sizeof(Key)>(ahead + size_t{d} * vectors * 8);
        __m256 key[vectors];
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) key[v] = load_elements(keys + v / 2 * tile_stride + v % 2 * 8);
        LLM_UNROLL_BLOCK
        for (int r = 0; r < rows; ++r) {
            const __m256 q = _mm256_set1_ps(query[r * query_stride + d]);
            LLM_UNROLL_BLOCK
            for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_fmadd_ps(q, key[v], sum[r][v]);
        }
    }
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v)
            _mm256_storeu_ps(scores + r * page_positions + v * 8, _mm256_mul_ps(sum[r][v], _mm256_set1_ps(scale)));
    }
}

// The same for all positions of a page. As many bytes as are read here are prefetched from `ahead`.
template <int rows, class Key>
void score_rows(float *scores, const float *query, size_t query_stride, const Key *keys, const void *ahead,
                uint32_t head_length, float scale) {
    constexpr int vectors = vectors_for(rows);
    for (uint32_t j = 0; j < page_positions; j += 8 * vectors) {
        const size_t offset = size_t{j} * head_length;
        score_tiles<rows, vectors>(scores + j, query, query_stride, keys + offset,
                                   static_cast<const Key *>(ahead) + offset, head_length, scale);
    }
}

// weighted[r][d] += p[r][j] * values[j][d] for the positions first <= j < last, ascending, and 8 * vectors dimensions;
// lanes are dimensions.
template <int rows, int vectors, class Value>
inline void weigh_dimensions(float *weighted, const float *p, const Value *values, const Value *ahead,
                             uint32_t head_length, uint32_t first, uint32_t last) {
    __m256 sum[rows][vectors];
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_loadu_ps(weighted + r * head_length + v * 8);
    }
    for (uint32_t j = first; j < last; ++j) {
        prefetch_bytes<vectors * 8 * sizeof(Value)>(ahead + j * head_length);
        __m256 value[vectors];
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) value[v] = load_elements(values + j * head_length + v * 8);
        LLM_UNROLL_BLOCK
        for (int r = 0; r < rows; ++r) {
            const __m256 factor = _mm256_set1_ps(p[r * page_positions + j]);
            LLM_UNROLL_BLOCK
            for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_fmadd_ps(factor, value[v], sum[r][v]);
        }
    }
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) _mm256_storeu_ps(weighted + r * head_length + v * 8, sum[r][v]);
    }
}

// The same for all dimensions. Prefetches like score_rows().
template <int rows, class Value>
void weigh_rows(float *weighted, const float *p, const Value *values, const void *ahead, uint32_t head_length,
                uint32_t first, uint32_t last) {
    constexpr int vectors = vectors_for(rows);
    const auto *next = static_cast<const Value *>(ahead);
    uint32_t d = 0;
    for (; d + 8 * vectors <= head_length; d += 8 * vectors)
        weigh_dimensions<rows, vectors>(weighted + d, p, values + d, next + d, head_length, first, last);
    for (; d + 16 <= head_length; d += 16)
        weigh_dimensions<rows, 2>(weighted + d, p, values + d, next + d, head_length, first, last);
    if (d < head_length) weigh_dimensions<rows, 1>(weighted + d, p, values + d, next + d, head_length, first, last);
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

}  // namespace llm::avx2
