// Matrix products of a few groups of rows and some tokens, and what is done to them before they are written.
#pragma once

#include "engine/workspace.h"

#include <algorithm>

namespace llm {

// Up to this many rows a batch is small: reading the weights is the work, and every phase that is saved counts.
inline constexpr uint32_t small_batch = 15;

// What is computed in one call of a kernel.
struct ProductBlock {
    uint32_t first_group, group_count;  // groups of 16 rows of the matrix
    uint32_t first_token, token_count;
};

// Where a product goes: rows of one token are adjacent, tokens are `stride` floats apart.
struct Target {
    float *values;
    size_t stride;
};

// values = activation(product + bias) * scale, with a softcap c of not 0 then c * tanh(values / c)
struct Finish {
    const float *bias = nullptr;  // of all rows of the matrix
    Activation activation = Activation::none;
    float scale = 1.0f;
    float softcap = 0.0f;

    bool is_empty() const { return !bias && activation == Activation::none && scale == 1.0f && softcap == 0.0f; }
};

// The largest block of a batch of that many tokens: with few, a long stretch of weights; with many, as much as stays in
// the cache.
inline uint32_t block_groups(uint32_t token_count) { return token_count > small_batch ? 16 : 64; }
inline uint32_t block_tokens(uint32_t token_count) { return token_count > small_batch ? 96 : small_batch; }

// The most scratch that bytes(groups, tokens) asks for with blocks of any batch.
template <class Bytes>
size_t most_scratch(Bytes bytes) {
    size_t most = 0;
    for (const uint32_t token_count : {small_batch, small_batch + 1})
        most = std::max<size_t>(most, bytes(block_groups(token_count), block_tokens(token_count)));
    return most;
}

// Groups that are a good chunk of a matrix for that many tokens; even, unless the matrix has only one.
uint32_t groups_of_chunk(const Matrix &matrix, uint32_t token_count);

// Rows of a block that the matrix has: its last group may be padded.
uint32_t rows_of_block(const Matrix &matrix, const ProductBlock &block);

// The block's rows of the matrix times its tokens of `in`, finished and written, or added, to `out`.
void multiply(const Workspace &workspace, const Matrix &matrix, const ProductBlock &block, const BufferMemory &in,
              Target out, const Finish &finish, bool add, uint8_t *scratch);

// Quantizes what a block of the matrix has written to a buffer, if anything reads it in that form: then a block is a
// multiple of 32 rows.
void quantize_block(const Workspace &workspace, const BufferMemory &out, const Matrix &matrix,
                    const ProductBlock &block);

// out = activation(gate(in)) * up(in), also quantized, if the buffer is. A block is a multiple of 32 rows then.
void multiply_gated(const Workspace &workspace, const Linear &gate, const Linear &up, Activation activation,
                    const ProductBlock &block, const BufferMemory &in, const BufferMemory &out, uint8_t *scratch);

// Scratch that multiply() needs, and multiply_gated(), for up to that many groups and tokens.
size_t multiply_bytes(const KernelTable &kernels, const Matrix &matrix, uint32_t groups, uint32_t tokens);
size_t multiply_gated_bytes(const KernelTable &kernels, const Matrix &gate, const Matrix &up, uint32_t groups,
                            uint32_t tokens);

}  // namespace llm
