// Saving and restoring a sequence.
#include "base/byte_cursor.h"
#include "base/error.h"
#include "base/hash.h"
#include "engine/context.h"
#include "engine/state.h"

namespace llm {

namespace {

// The model, and how its tables rotate in a context of that length.
uint64_t fingerprint(const Model &model, const Graph &graph, uint32_t context_length) {
    uint64_t hash = model.fingerprint();
    for (const RopeTable &table : graph.rope_tables) {
        std::vector<float> angles(2 * size_t{table.pair_count()});
        table.angles(angles.data(), angles.data() + table.pair_count(), 1, context_length);
        hash = hash_bytes({reinterpret_cast<const uint8_t *>(angles.data()), angles.size() * sizeof(float)}, hash);
    }
    return hash;
}

const Graph &graph_with_states(const Model &model) {
    const Graph &graph = model.blueprint()->graph;
    if (graph.encoding) fail(LLM_ERROR_STATE, "the model is an encoder, whose sequences are empty");
    return graph;
}

}  // namespace

StateHeader Context::state_header(uint32_t length) const {
    return {.key_type = cache_.key_type(),
            .value_type = cache_.value_type(),
            .token_count = length,
            .fingerprint = fingerprint(*model_, graph_with_states(*model_), context_length()),
            .cache_bytes = cache_.saved_bytes(length)};
}

size_t Context::state_bytes(uint32_t sequence) const { return state_header(length(sequence)).state_bytes(); }

uint64_t Context::most_state_bytes() const {
    return StateHeader::bytes + sizeof(uint64_t) + uint64_t{context_length()} * sizeof(uint32_t) + cache_bytes_;
}

void Context::save_state(uint32_t sequence, std::span<uint8_t> out) const {
    const StateHeader header = state_header(length(sequence));
    write_state_header(out, header);
    uint8_t *to = out.data() + StateHeader::bytes;
    for (const llm_token token : sequences_[sequence].text)
        for (uint32_t shift = 0; shift < 32; shift += 8) *to++ = static_cast<uint8_t>(token >> shift);
    cache_.save(sequence, {to, header.cache_bytes}, model_->kernels());
    seal_state(out);
}

void Context::restore_state(uint32_t sequence, std::span<const uint8_t> state) {
    const StateHeader header = check_state(state);
    if (header.token_count > context_length())
        fail(LLM_ERROR_CONTEXT_FULL, "the state has ", header.token_count, " tokens, a sequence holds ",
             context_length());
    const StateHeader expected = state_header(header.token_count);
    if (header.fingerprint != expected.fingerprint)
        fail(LLM_ERROR_MODEL, "the state is one of another model, or of another context length that changes rotations");
    if (header.key_type != expected.key_type || header.value_type != expected.value_type)
        fail(LLM_ERROR_STATE, "the state has cache types ", static_cast<uint32_t>(header.key_type), " and ",
             static_cast<uint32_t>(header.value_type), ", the context ", static_cast<uint32_t>(expected.key_type),
             " and ", static_cast<uint32_t>(expected.value_type));
    if (header.cache_bytes != expected.cache_bytes)
        fail(LLM_ERROR_MALFORMED, "the state has ", header.cache_bytes, " bytes of the cache, ", expected.cache_bytes,
             " are wanted");

    ByteCursor cursor(state.subspan(StateHeader::bytes));
    const uint32_t vocabulary = model_->parameters().vocabulary_size;
    std::vector<llm_token> text(header.token_count);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto token = cursor.read<uint32_t>({"token", {}, i});
        if (token >= vocabulary)
            fail(LLM_ERROR_MALFORMED, "token ", i, " of the state is ", token, ", the vocabulary has ", vocabulary);
        text[i] = static_cast<llm_token>(token);
    }
    cache_.restore(sequence, header.token_count, cursor.take(header.cache_bytes, {"cache"}));
    sequences_[sequence].text.assign(text.begin(), text.end());
    sequences_[sequence].last_row.reset();
}

}  // namespace llm
