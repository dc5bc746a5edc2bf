// What one pass through the plan computes: some tokens of one or several sequences.
#pragma once

#include <llm/llm.h>

#include <cstdint>
#include <vector>

namespace llm {

// Rows of the forward pass, in order: all tokens of the batch, or, behind the last use of the others, those whose
// results are wanted.
struct RowSet {
    std::vector<uint32_t> position;  // of each row in its sequence
    std::vector<uint32_t> end;       // the row sees positions of its sequence before this one, its own among them
    std::vector<uint32_t> sequence;

    uint32_t count() const { return static_cast<uint32_t>(position.size()); }
};

struct Batch {
    std::vector<llm_token> tokens;
    RowSet all;
    RowSet outputs;
    std::vector<uint32_t> output_rows;  // of each row of `outputs`, its row in `all`; ascending
    float *logits = nullptr;            // [outputs][vocabulary]

    // Room for that many tokens, so that nothing is allocated later.
    void reserve(uint32_t token_count);
    void clear();
    // `end` as in RowSet.
    void add(llm_token token, uint32_t sequence, uint32_t position, uint32_t end, bool is_output);
};

}  // namespace llm
