// The two matrix products of attention as in attention_blocks.h, with keys, values, queries and weights that are
// integers: two products in each lane at once.
#pragma once

#include "kernels/avx2/attention_blocks.h"

namespace llm::avx2 {

// Eight pairs of integers of a cache, widened.
inline __m256i load_pairs(const int16_t *p) { return load_bytes(p); }
inline __m256i load_pairs(const int8_t *p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}

template <int rows, int vectors>
inline void clear(__m256i (&sum)[rows][vectors]) {
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) sum[r][v] = _mm256_setzero_si256();
    }
}

inline __m256i add_products(__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

// One block of elements of score_integer_rows(), for the 8 * vectors positions from the start of a tile on; lanes are
// positions. The first block starts the scores, the others add to them.
template <int rows, int vectors, class Key>
inline void score_integer_tiles(float *scores, const int16_t *query, const float *query_scale, const Key *keys,
                                const float *key_scales, const Key *ahead, uint32_t head_length, uint32_t length,
                                bool is_first) {
    const size_t tile_stride = size_t{head_length} * tile_positions;
    __m256i sum[rows][vectors];
    clear(sum);
    for (uint32_t d = 0; d < length; d += 2, keys += 2 * tile_positions) {
        prefetch_bytes<vectors * 16 * sizeof(Key)>(ahead + size_t{d} * vectors * 8);
        __m256i key[vectors];
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) key[v] = load_pairs(keys + v / 2 * tile_stride + v % 2 * 16);
        LLM_UNROLL_BLOCK
        for (int r = 0; r < rows; ++r) {
            const __m256i q = broadcast_dword(query + r * head_length + d);
            LLM_UNROLL_BLOCK
            for (int v = 0; v < vectors; ++v) sum[r][v] = add_products(sum[r][v], key[v], q);
        }
    }
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) {
            float *out = scores + r * page_positions + v * 8;
            const __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(key_scales + v * 8), _mm256_set1_ps(query_scale[r]));
            const __m256 before = is_first ? _mm256_setzero_ps() : _mm256_loadu_ps(out);
            _mm256_storeu_ps(out, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[r][v]), scale, before));
        }
    }
}

// scores[r][j] = sum over blocks of query_scale[r] * key_scale[j] * dot(query[r], key[j]) for all positions of a page;
// rows of the query are adjacent. As many bytes as are read here are prefetched from `ahead`.
template <int rows, class Key>
void score_integer_rows(float *scores, const int16_t *query, const float *query_scale, const Key *keys,
                        const float *key_scales, const void *ahead, uint32_t head_length, uint32_t block_length) {
    constexpr int vectors = vectors_for(rows);
    for (uint32_t first = 0; first < head_length; first += block_length, key_scales += page_positions) {
        const uint32_t length = first + block_length < head_length ? block_length : head_length - first;
        for (uint32_t j = 0; j < page_positions; j += 8 * vectors) {
            const size_t offset = size_t{j} * head_length + size_t{first} * tile_positions;
            score_integer_tiles<rows, vectors>(scores + j, query + first, query_scale, keys + offset, key_scales + j,
                                               static_cast<const Key *>(ahead) + offset, head_length, length,
                                               first == 0);
        }
    }
}

// weighted[r][d] = weighted[r][d] * factors[r] + u_scale[r] * dot(u[r], value[d]) for 8 * vectors elements, over pairs
// of positions; lanes are elements.
template <int rows, int vectors, class Value>
inline void weigh_integer_elements(float *weighted, const float *factors, const int16_t *u, const float *u_scale,
                                   const Value *values, const Value *ahead, uint32_t head_length, uint32_t first,
                                   uint32_t last) {
    __m256i sum[rows][vectors];
    clear(sum);
    for (uint32_t j = first; j < last; j += 2) {
        prefetch_bytes<vectors * 16 * sizeof(Value)>(ahead + size_t{j} * head_length);
        __m256i value[vectors];
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) value[v] = load_pairs(values + size_t{j} * head_length + v * 16);
        LLM_UNROLL_BLOCK
        for (int r = 0; r < rows; ++r) {
            const __m256i weights = broadcast_dword(u + r * page_positions + j);
            LLM_UNROLL_BLOCK
            for (int v = 0; v < vectors; ++v) sum[r][v] = add_products(sum[r][v], value[v], weights);
        }
    }
    LLM_UNROLL_BLOCK
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL_BLOCK
        for (int v = 0; v < vectors; ++v) {
            float *out = weighted + r * head_length + v * 8;
            const __m256 before = _mm256_mul_ps(_mm256_loadu_ps(out), _mm256_set1_ps(factors[r]));
            _mm256_storeu_ps(out, _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[r][v]), _mm256_set1_ps(u_scale[r]), before));
        }
    }
}

// The same for `length` elements. Prefetches like score_integer_rows().
template <int rows, class Value>
void weigh_integer_rows(float *weighted, const float *factors, const int16_t *u, const float *u_scale,
                        const Value *values, const void *ahead, uint32_t head_length, uint32_t length, uint32_t first,
                        uint32_t last) {
    constexpr int vectors = vectors_for(rows);
    const auto *next = static_cast<const Value *>(ahead);
    uint32_t d = 0;
    for (; d + 8 * vectors <= length; d += 8 * vectors)
        weigh_integer_elements<rows, vectors>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d,
                                              head_length, first, last);
    for (; d + 16 <= length; d += 16)
        weigh_integer_elements<rows, 2>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d, head_length,
                                        first, last);
    if (d < length)
        weigh_integer_elements<rows, 1>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d, head_length,
                                        first, last);
}

// The functions above by number of rows - 1.
template <class Key>
inline constexpr decltype(&score_integer_rows<1, Key>) score_integer_block[block_rows] = {
    score_integer_rows<1, Key>, score_integer_rows<2, Key>, score_integer_rows<3, Key>,
    score_integer_rows<4, Key>, score_integer_rows<5, Key>, score_integer_rows<6, Key>};
template <class Value>
inline constexpr decltype(&weigh_integer_rows<1, Value>) weigh_integer_block[block_rows] = {
    weigh_integer_rows<1, Value>, weigh_integer_rows<2, Value>, weigh_integer_rows<3, Value>,
    weigh_integer_rows<4, Value>, weigh_integer_rows<5, Value>, weigh_integer_rows<6, Value>};

}  // namespace llm::avx2
