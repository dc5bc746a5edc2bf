// The few vector operations that the AVX2 kernels name for themselves.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace llm::avx2 {

inline __m256i load_bytes(const void *p) { return _mm256_loadu_si256(static_cast<const __m256i *>(p)); }

// The four bytes at p, in each of the eight lanes.
inline __m256i broadcast_dword(const void *p) {
    int32_t value;
    __builtin_memcpy(&value, p, sizeof value);
    return _mm256_set1_epi32(value);
}

// The same value. Keeps the compiler from putting off additions and spilling all that is to be added instead.
inline __m256i computed_here(__m256i x) {
    __asm__("" : "+x"(x));
    return x;
}

// Eight half floats, eight unsigned bytes, eight signed bytes as floats.
inline __m256 load_halves(const void *p) { return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i *>(p))); }
inline __m256 load_unsigned_bytes(const uint8_t *p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p))));
}
inline __m256 load_signed_bytes(const int8_t *p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(p))));
}

// Eight upper halves of floats (BF16).
inline __m256 load_upper_halves(const void *p) {
    const __m256i low = _mm256_cvtepu16_epi32(_mm_loadu_si128(static_cast<const __m128i *>(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
}

}  // namespace llm::avx2
