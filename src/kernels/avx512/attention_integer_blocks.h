// The two matrix products of attention as in attention_blocks.h, with keys, values, queries and weights that are
// integers: two products in each lane at once.
#pragma once

#include "kernels/avx512/attention_blocks.h"

namespace llm::avx512 {

// Sixteen pairs of integers of a cache, widened; the masked forms read the lanes of the mask only.
LLM_SIMD __m512i load_pairs(const int16_t *p) { return load512(p); }
LLM_SIMD __m512i load_pairs(const int8_t *p) { return _mm512_cvtepi8_epi16(load256(p)); }
LLM_SIMD __m512i load_pairs(const int16_t *p, __mmask16 mask) { return _mm512_maskz_loadu_epi32(mask, p); }
LLM_SIMD __m512i load_pairs(const int8_t *p, __mmask16 mask) {
    return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi16(mask, p));
}

// sum + the products of pairs. The compiler is kept from moving sums between registers and the stack instead.
LLM_SIMD void add_products(__m512i &sum, __m512i a, __m512i b) {
    sum = _mm512_dpwssd_epi32(sum, a, b);
    asm("" : "+v"(sum));
}

template <int rows, int vectors>
LLM_SIMD void clear(__m512i (&sum)[rows][vectors]) {
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v) sum[r][v] = _mm512_setzero_si512();
    }
}

// scores[r][j] = sum over blocks of query_scale[r] * key_scale[j] * dot(query[r], key[j]) for all positions of a page;
// lanes are positions, rows of the query are adjacent. As many bytes as are read here are prefetched from `ahead`.
template <int rows, class Key>
void score_integer_rows(float *scores, const int16_t *query, const float *query_scale, const Key *keys,
                        const float *key_scales, const void *ahead, uint32_t head_length, uint32_t block_length) {
    constexpr uint32_t pairs = 2 * tile_positions;  // elements of a step of a tile
    const size_t tile_stride = size_t{head_length} * tile_positions;
    for (uint32_t first = 0; first < head_length; first += block_length, key_scales += page_positions) {
        const uint32_t last = first + block_length < head_length ? first + block_length : head_length;
        __m512i sum[rows][page_tiles];
        clear(sum);
        for (uint32_t d = first; d < last; d += 2, keys += pairs) {
            prefetch_bytes<2 * page_positions * sizeof(Key)>(static_cast<const Key *>(ahead) +
                                                             size_t{d} * page_positions);
            __m512i key[page_tiles];
            LLM_UNROLL
            for (uint32_t t = 0; t < page_tiles; ++t) key[t] = load_pairs(keys + t * tile_stride);
            LLM_UNROLL
            for (int r = 0; r < rows; ++r) {
                const __m512i q = broadcast_int(query + r * head_length + d);
                LLM_UNROLL
                for (uint32_t t = 0; t < page_tiles; ++t) add_products(sum[r][t], key[t], q);
            }
        }
        LLM_UNROLL
        for (int r = 0; r < rows; ++r) {
            LLM_UNROLL
            for (uint32_t t = 0; t < page_tiles; ++t) {
                float *out = scores + r * page_positions + t * tile_positions;
                const __m512 scale =
                    _mm512_mul_ps(_mm512_loadu_ps(key_scales + t * tile_positions), _mm512_set1_ps(query_scale[r]));
                const __m512 before = first == 0 ? _mm512_setzero_ps() : _mm512_loadu_ps(out);
                _mm512_storeu_ps(out, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[r][t]), scale, before));
            }
        }
    }
}

// weighted[r][d] = weighted[r][d] * factors[r] + u_scale[r] * dot(u[r], value[d]) for `vectors` times sixteen elements,
// of which the mask cuts the last ones, over pairs of positions; lanes are elements. Prefetches like
// score_integer_rows().
template <int rows, int vectors, class Value>
LLM_SIMD void weigh_integer_elements(float *weighted, const float *factors, const int16_t *u, const float *u_scale,
                                     const Value *values, const Value *ahead, uint32_t head_length, uint32_t first,
                                     uint32_t last, __mmask16 mask) {
    __m512i sum[rows][vectors];
    clear(sum);
    for (uint32_t j = first; j < last; j += 2) {
        const Value *at = values + size_t{j} * head_length;
        prefetch_bytes<vectors * 32 * sizeof(Value)>(ahead + size_t{j} * head_length);
        __m512i value[vectors];
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v) value[v] = vectors == 1 ? load_pairs(at, mask) : load_pairs(at + v * 32);
        LLM_UNROLL
        for (int r = 0; r < rows; ++r) {
            const __m512i weights = broadcast_int(u + r * page_positions + j);
            LLM_UNROLL
            for (int v = 0; v < vectors; ++v) add_products(sum[r][v], value[v], weights);
        }
    }
    LLM_UNROLL
    for (int r = 0; r < rows; ++r) {
        const __m512 scale = _mm512_set1_ps(u_scale[r]);
        LLM_UNROLL
        for (int v = 0; v < vectors; ++v) {
            float *out = weighted + r * head_length + v * 16;
            const __m512 before = _mm512_mul_ps(_mm512_maskz_loadu_ps(mask, out), _mm512_set1_ps(factors[r]));
            _mm512_mask_storeu_ps(out, mask, _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[r][v]), scale, before));
        }
    }
}

// The same for `length` elements.
template <int rows, class Value>
void weigh_integer_rows(float *weighted, const float *factors, const int16_t *u, const float *u_scale,
                        const Value *values, const void *ahead, uint32_t head_length, uint32_t length, uint32_t first,
                        uint32_t last) {
    constexpr __mmask16 all = 0xffff;
    const auto *next = static_cast<const Value *>(ahead);
    uint32_t d = 0;
    for (; d + 64 <= length; d += 64)
        weigh_integer_elements<rows, 4>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d, head_length,
                                        first, last, all);
    for (; d + 32 <= length; d += 32)
        weigh_integer_elements<rows, 2>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d, head_length,
                                        first, last, all);
    for (; d < length; d += 16)
        weigh_integer_elements<rows, 1>(weighted + d, factors, u, u_scale, values + 2 * d, next + 2 * d, head_length,
                                        first, last, first_lanes(length - d));
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

}  // namespace llm::avx512
