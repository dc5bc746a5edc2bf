// Matrix products of a few groups of rows and some tokens, and what is done to them before they are written.
#pragma once

#include "engine/workspace.h"

namespace llm {

// Up to this many rows a batch is small: reading the weights is the work, and every phase that is saved counts.
inline constexpr uint32_t small_batch = 15;

// What one thread computes at once.
struct ProductChunk {
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
};

// Groups that are a good chunk of a matrix for that many tokens; even, unless the matrix has only one.
uint32_t groups_of_chunk(const Matrix &matrix, uint32_t token_count);

// Rows of a chunk that the matrix has: its last group may be padded.
uint32_t rows_of_chunk(const Matrix &matrix, const ProductChunk &chunk);

// The chunk's rows of the matrix times its tokens of `in`, finished and written, or added, to `out`.
void multiply(const Workspace &workspace, const Matrix &matrix, const ProductChunk &chunk, const BufferMemory &in,
              Target out, const Finish &finish, bool add, uint8_t *scratch);

// out = activation(gate(in)) * up(in)
void multiply_gated(const Workspace &workspace, const Linear &gate, const Linear &up, Activation activation,
                    const ProductChunk &chunk, const BufferMemory &in, Target out, uint8_t *scratch);

// Scratch that multiply() needs, and multiply_gated(), for up to that many groups and tokens.
size_t multiply_bytes(const KernelTable &kernels, const Matrix &matrix, uint32_t groups, uint32_t tokens);
size_t multiply_gated_bytes(const KernelTable &kernels, const Matrix &gate, const Matrix &up, uint32_t groups,
                            uint32_t tokens);

}  // namespace llm
