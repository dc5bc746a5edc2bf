// Shorthand for the AVX-512 kernels. Only files that are compiled for AVX-512 may include it; every function is forced
// inline, so that no code for wide registers can be linked into another tier.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define LLM_SIMD inline __attribute__((always_inline))
#define LLM_UNROLL _Pragma("GCC unroll 16")

namespace llm::avx512 {

LLM_SIMD __m128i load128(const void *p) { return _mm_loadu_si128(static_cast<const __m128i *>(p)); }
LLM_SIMD __m256i load256(const void *p) { return _mm256_loadu_si256(static_cast<const __m256i *>(p)); }
LLM_SIMD __m512i load512(const void *p) { return _mm512_loadu_si512(p); }

// Fetches the lines of `bytes` bytes, `distance` after p, into the cache of that level (1 or 2); they need not be
// memory that may be read.
template <size_t bytes, int level>
LLM_SIMD void prefetch_ahead(const void *p, size_t distance) {
    const uintptr_t first = reinterpret_cast<uintptr_t>(p) + distance;
    LLM_UNROLL
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(reinterpret_cast<const void *>(first + i), 0, level == 1 ? 3 : 2);
}

// Four bytes of memory in all sixteen lanes.
LLM_SIMD __m512i broadcast_int(const void *p) {
    int32_t value;
    __builtin_memcpy(&value, p, sizeof(value));
    return _mm512_set1_epi32(value);
}
LLM_SIMD __m512 broadcast_float(const void *p) {
    float value;
    __builtin_memcpy(&value, p, sizeof(value));
    return _mm512_set1_ps(value);
}

// Sixteen numbers of memory as floats.
LLM_SIMD __m512 load_f16(const void *p) { return _mm512_cvtph_ps(load256(p)); }
LLM_SIMD __m512 load_bf16(const void *p) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load256(p)), 16));
}
LLM_SIMD __m512 load_u8(const void *p) { return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load128(p))); }
LLM_SIMD __m512 load_i8(const void *p) { return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(load128(p))); }

// The same pointer, but the compiler does not know it: what was read through it before is read again, which is cheaper
// than to keep many values in registers.
LLM_SIMD const uint8_t *reread(const uint8_t *p) {
    asm("" : "+r"(p));
    return p;
}

// The first `count` lanes.
LLM_SIMD __mmask16 first_lanes(uint32_t count) {
    return count >= 16 ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1u << count) - 1);
}

}  // namespace llm::avx512
