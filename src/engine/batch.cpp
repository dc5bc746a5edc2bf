#include "engine/batch.h"

namespace llm {

void Batch::reserve(uint32_t token_count) {
    tokens.reserve(token_count);
    output_rows.reserve(token_count);
    for (RowSet *rows : {&all, &outputs}) {
        rows->position.reserve(token_count);
        rows->sequence.reserve(token_count);
    }
}

void Batch::clear() {
    tokens.clear();
    output_rows.clear();
    for (RowSet *rows : {&all, &outputs}) {
        rows->position.clear();
        rows->sequence.clear();
    }
    logits = nullptr;
}

void Batch::add(llm_token token, uint32_t sequence, uint32_t position, bool wants_logits) {
    if (wants_logits) {
        output_rows.push_back(all.count());
        outputs.position.push_back(position);
        outputs.sequence.push_back(sequence);
    }
    tokens.push_back(token);
    all.position.push_back(position);
    all.sequence.push_back(sequence);
}

}  // namespace llm
