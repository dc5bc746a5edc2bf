#include "engine/batch.h"

namespace llm {

void Batch::reserve(uint32_t token_count) {
    tokens.reserve(token_count);
    output_rows.reserve(token_count);
    for (RowSet *rows : {&all, &outputs}) {
        rows->position.reserve(token_count);
        rows->end.reserve(token_count);
        rows->sequence.reserve(token_count);
    }
}

void Batch::clear() {
    tokens.clear();
    output_rows.clear();
    for (RowSet *rows : {&all, &outputs}) {
        rows->position.clear();
        rows->end.clear();
        rows->sequence.clear();
    }
    logits = nullptr;
}

void Batch::add(llm_token token, uint32_t sequence, uint32_t position, uint32_t end, bool is_output) {
    if (is_output) output_rows.push_back(all.count());
    tokens.push_back(token);
    for (RowSet *rows : {&all, &outputs}) {
        if (rows == &outputs && !is_output) continue;
        rows->position.push_back(position);
        rows->end.push_back(end);
        rows->sequence.push_back(sequence);
    }
}

}  // namespace llm
