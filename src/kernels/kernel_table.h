// The contract of every kernel. A KernelTable is filled by the scalar tier completely; the higher tiers overwrite
// slots in ascending order. It is chosen once for the process and does not change afterwards.
//
// All tiers compute the same bits, but for the sign and payload of a NaN. What follows fixes the order of every
// floating-point operation; `fma` is always the fused operation, all else is rounded to single precision after each
// step, and integer sums are exact in any order. Buffers that a kernel reads or writes may be unaligned unless a slot
// says otherwise; kernels never read or write outside the lengths given.
//
// This header is included by files that are compiled for one instruction set: it must not define functions.
#pragma once

#include "gguf/tensor_type.h"

#include <cstddef>
#include <cstdint>

namespace llm {

// ---- Quantized activations ----------------------------------------------------------------------------------------

// Rows of activations as 8-bit integers, one scale for each 32 elements ("A8"). Row t starts at q + t * columns,
// scale + t * columns / 32, sum + t * columns / 16.
struct QuantizedRows {
    int8_t *q;     // -127 .. 127, 64-byte aligned rows when columns % 64 == 0
    float *scale;  // largest magnitude of the 32 elements / 127
    int32_t *sum;  // sum of q over each 16 elements
};

// ---- Matrix products ----------------------------------------------------------------------------------------------

// out[t][r] = sum over k of weight[r][k] * x[t][k] for the rows r of some whole groups and all tokens t.
struct MatmulArgs {
    const uint8_t *weights;  // first packed group (quant/packing.h), 64-byte aligned
    uint32_t group_count;    // groups of 16 rows to compute
    uint32_t columns;
    uint32_t token_count;
    QuantizedRows x;       // for quantized weights
    const float *x_float;  // for F32, F16 and BF16 weights: rows of `columns` floats
    float *out;            // first row of the first token
    size_t out_stride;     // floats from a token to the next; rows of one token are adjacent
    float *add_to;         // if not nullptr, add_to[t][r] += the result, and `out` is room for the kernel to work in
    size_t add_stride;     // as out_stride, of add_to
    uint8_t *scratch;      // matmul_scratch_bytes(columns), 64-byte aligned, for this thread alone
};

// Quantized weights: for each unit of 32 elements ascending (half units of 16, the first first, for Q2_K, Q3_K, Q6_K):
//   isum = sum over the elements of (q_weight - offset) * q_activation               (exact integer)
//   acc  = fma(float(isum) * scale_activation, scale_weight, acc)
//   acc  = fma(min_weight, scale_activation * float(sum of q_activation), acc)       (only formats with a minimum)
// acc starts at +0. scale_weight and min_weight are the exact products of quant/packing.h, offset the integer that is
// subtracted there (0 with a minimum; table values T and F count as q_weight with offset 0). min_weight is m, or
// -(dmin * mn).
// F32, F16, BF16 weights: acc = fma(weight, x, acc) over k ascending; acc starts at +0.
using MatmulKernel = void (*)(const MatmulArgs &args);

inline constexpr uint32_t tensor_type_slots = 40;

// ---- Attention ----------------------------------------------------------------------------------------------------

// How the key-value cache keeps its numbers. q16 and q8 are integers with a scale for each block of elements: q16 has
// one block for each head, q8 has blocks of 32 (the last one of a head may be shorter).
enum class CacheType : uint32_t { q16 = 0, f16 = 1, f32 = 2, bf16 = 3, q8 = 4 };
inline constexpr uint32_t cache_type_slots = 5;
inline constexpr uint32_t q8_block_length = 32;

// Elements of 16 bits.
struct Half {
    uint16_t bits;
};
struct BrainFloat {
    uint16_t bits;
};

// Keys and values of one layer and one key-value head are stored in pages of 64 positions:
//   f16, f32, bf16    keys    [4][head_length][16]           tiles of 16 positions, positions adjacent
//                     values  [64][head_length]
//   q16, q8           scales  [blocks][64] float, then the integers, pairs of which are multiplied at once:
//                     keys    [4][head_length / 2][16][2]    pairs of elements
//                     values  [32][head_length][2]           pairs of positions
inline constexpr uint32_t page_positions = 64;
size_t cache_page_bytes(CacheType type, uint32_t head_length);
// Attention over a long past is cut at multiples of this many positions; each part is reduced on its own and the
// parts are merged in ascending order, so that a part may be computed by any thread.
inline constexpr uint32_t split_positions = 512;

// One part: `row_count` query rows against positions [begin, end), which lie inside one split.
struct AttentionArgs {
    CacheType key_type, value_type;
    const float *query;  // [row_count][head_length], rows query_stride floats apart
    size_t query_stride;
    bool same_queries;  // as in the call before with this scratch: what that call made of them is still there
    uint32_t row_count;
    uint32_t head_length;          // a multiple of 8, at most 512
    const uint32_t *row_begin;     // row i sees positions row_begin[i] <= p < row_end[i], cut to [begin, end);
    const uint32_t *row_end;       // both ascend (not strictly) from row to row
    uint32_t begin, end;           // begin is a multiple of page_positions
    const void *const *key_pages;  // key_pages[p / 64 - begin / 64] is the page of position p
    const void *const *value_pages;
    float scale;    // of the dot products
    float softcap;  // 0 = none
    // Results for each row, unnormalized: the largest score (-inf when the row sees nothing), the sum of exponentials,
    // and the weighted sum of values [row_count][head_length], rows head_length floats apart.
    float *maximum;
    float *sum;
    float *weighted;
    float *scratch;  // attention_scratch_floats(row_count, head_length), 64-byte aligned
};

// For each row: maximum = -inf, sum = 0, weighted = 0; then for each page ascending that holds a visible position:
//   s[j]    = the score of position j, see below; with softcap c: c * tanh(s / c)
//   m       = max(maximum, largest visible s[j]) + 0 (so never -0); a NaN is never the largest
//   if m > maximum: f = exp(maximum - m), sum *= f, weighted[d] *= f, maximum = m
//   p[j]    = exp_of_negative(s[j] - m) for visible j, else +0
//   sum    += sum64(p), where sum64(p) = reduce16(lane i: ((p[i] + p[i+16]) + p[i+32]) + p[i+48])
//   weighted[d] += the values weighed with p, see below
// What is stored at positions that a row does not see has no influence on the row, be it a NaN.
//
// With elements that are floats (f16, f32, bf16):
//   s[j]        = fma over d ascending of query[d] * key[j][d], from +0; times scale
//   weighted[d] = fma(p[j], value[j][d], weighted[d]) over visible j ascending
//
// With integers, the other factor becomes 16-bit integers, too, scaled so that no sum of products can leave 32 bits:
// by its Euclidean norm for a dot product with keys (the inequality of Cauchy and Schwarz), by its sum for weights.
// Twice as many products at once as with floats, all exact, at about the error of half floats. norm16(x) is
// defined with the stores below.
//   (q, n)      = norm16(query)
//   s[j]        = fma(float(sum over block b of q[d] * key[j][d]), scale_key[b][j] * (n * scale), s[j]) over blocks
//                 ascending, from +0
//   and for each block b of values:
//   w[j]        = p[j] * scale_value[b][j] for visible j, else +0;  t = sum64(w);  f = 32767 / t
//   u[j]        = round to nearest, ties to even, of w[j] * f if 0 < f < infinity, else 0
//   weighted[d] = fma(float(sum over j of u[j] * value[j][d]), t / 32767, weighted[d]) for d of the block
using AttentionKernel = void (*)(const AttentionArgs &args);

// Adds a later part b to an earlier part a of the same row; a row with maximum -inf is empty:
//   b empty: nothing; a empty: a = b; else
//   m = max(a.maximum, b.maximum); fa = exp(a.maximum - m); fb = exp(b.maximum - m)
//   sum = fma(b.sum, fb, a.sum * fa); weighted[d] = fma(b.weighted[d], fb, a.weighted[d] * fa); maximum = m
using AttentionMergeKernel = void (*)(float *maximum_a, float *sum_a, float *weighted_a, float maximum_b, float sum_b,
                                      const float *weighted_b, uint32_t head_length);

// Writes one position's key and value (head_length floats each) into place `position` % 64 of a page. f16 and bf16
// round to nearest, ties to even (a NaN stays one). Integers are round to nearest, ties to even, of x * f with the
// scale 1 / f, from the norm or from the largest magnitude a of the block (a NaN being larger than infinity):
//   q16 keys    norm16: a = sqrt(sum16 of x[i]^2 by fma into the lanes), f = 32767 / a, scale = a / 32767
//   q16 values  f = 32767 / a, scale = a / 32767
//   q8          f = 127 / a, scale = a / 127
// If not 0 < f < infinity (a is 0, next to 0, infinite or NaN): scale = a, all integers 0.
using StoreKeyKernel = void (*)(void *page, uint32_t position, const float *key, uint32_t head_length);
using StoreValueKernel = void (*)(void *page, uint32_t position, const float *value, uint32_t head_length);

// ---- The table ----------------------------------------------------------------------------------------------------

// Sums in vector operations use 16 lanes: lane i adds elements i, i + 16, i + 32, ... in ascending order (missing ones
// count as +0, added all the same up to the next multiple of 16), then
//   reduce16(l) = with n = 8, 4, 2, 1: l[i] = l[i] + l[i + n] for i < n; the result is l[0].
//
// exp, tanh, silu and both forms of gelu are one approximation each, with the same operations in every tier:
// approximations.h.
struct KernelTable {
    const char *name;  // "scalar", "avx2", "avx512"

    MatmulKernel matmul[tensor_type_slots];  // by TensorType; nullptr for types without a packed layout
    size_t (*matmul_scratch_bytes)(uint32_t columns);

    // Quantizes `count` elements (a multiple of 32). For each 32: a = largest |x|, a NaN being larger than infinity;
    // f = 127 / a. If 0 < f < infinity: scale = a / 127, q = round to nearest, ties to even, of x * f; else (a is 0,
    // below 127 / 2^128, infinite or NaN): scale = a, q = 0.
    void (*quantize)(int8_t *q, float *scale, int32_t *sum, const float *x, uint32_t count);

    // out[i] = (x[i] * (1 / sqrt(sum16 of x[i]^2 by fma into the lanes / count + epsilon))) * weight[i]; out may be x
    void (*rms_norm)(float *out, const float *x, const float *weight, uint32_t count, float epsilon);

    // out[i] = fma((x[i] - mean) * (1 / sqrt(variance + epsilon)), weight[i], bias[i]), without a bias times weight[i];
    // mean = sum16 of x[i] / count, variance = sum16 of (x[i] - mean)^2 by fma into the lanes / count; lanes without an
    // element count as 0 there. bias may be nullptr; out may be x.
    void (*layer_norm)(float *out, const float *x, const float *weight, const float *bias, uint32_t count,
                       float epsilon);

    // out[i] += x[i]
    void (*add)(float *out, const float *x, uint32_t count);

    // gate[i] = silu(gate[i]) * up[i], where silu(x) = x / (1 + exp(-x)); the same with gelu (by tanh)
    void (*silu_multiply)(float *gate, const float *up, uint32_t count);
    void (*gelu_multiply)(float *gate, const float *up, uint32_t count);

    // gate[i] = (g / (1 + exp(-(g * 1.702)))) * (u + 1) with g = gate[i] > 7 ? 7 : gate[i] and
    // u = up[i] > 7 ? 7 : up[i] < -7 ? -7 : up[i]
    void (*clamped_silu_multiply)(float *gate, const float *up, uint32_t count);

    // x[i] = silu(x[i]); the same with gelu, by tanh or by the error function
    void (*silu)(float *x, uint32_t count);
    void (*gelu)(float *x, uint32_t count);
    void (*gelu_erf)(float *x, uint32_t count);

    // x[i] = cap * tanh(x[i] / cap)
    void (*softcap)(float *x, uint32_t count, float cap);

    // Rotates `pair_count` pairs of x by angles whose cosine and sine are given:
    //   a' = fma(a, cos, -(b * sin)); b' = fma(a, sin, b * cos)
    // adjacent: pair i is (x[2i], x[2i+1]); halves: (x[i], x[i + pair_count]).
    void (*rope_adjacent)(float *x, const float *cosines, const float *sines, uint32_t pair_count);
    void (*rope_halves)(float *x, const float *cosines, const float *sines, uint32_t pair_count);

    StoreKeyKernel store_key[cache_type_slots];
    StoreValueKernel store_value[cache_type_slots];
    AttentionKernel attention;
    size_t (*attention_scratch_floats)(uint32_t row_count, uint32_t head_length);
    AttentionMergeKernel attention_merge;

    // Index of the largest element, the lowest one of equals; NaN is never the largest; count when there is no
    // element above -inf.
    uint32_t (*arg_max)(const float *x, uint32_t count);

    // sum16 over i of exp(x[i] - maximum)
    float (*sum_exp)(const float *x, uint32_t count, float maximum);
};

// The table of a tier, complete; nullptr when this build or this machine does not have the tier.
const KernelTable *kernel_table(const char *tier_name);

}  // namespace llm
