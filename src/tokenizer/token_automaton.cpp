#include "tokenizer/token_automaton.h"

#include "base/error.h"

#include <bit>

namespace llm {

TokenAutomaton::TokenAutomaton(std::span<const Entry> entries, Direction direction) : states_(1) {
    from_root_.fill(none);
    size_t most_states = 1;
    for (const Entry &entry : entries) most_states += entry.text.size();
    if (most_states >= none / 2) fail(LLM_ERROR_LIMIT, "the vocabulary's texts are longer than 2 GiB together");
    for (const Entry &entry : entries) add(entry, direction);
    add_failures();
}

size_t TokenAutomaton::place(uint32_t state, uint8_t byte) const {
    const uint64_t key = uint64_t(state) << 8 | byte;
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & (edges_.size() - 1);
}

uint32_t TokenAutomaton::child(uint32_t state, uint8_t byte) const {
    if (state == root) return from_root_[byte];
    if (edges_.empty()) return none;
    size_t index = place(state, byte);
    while (edges_[index].to != none) {
        if (edges_[index].from == state && edges_[index].byte == byte) return edges_[index].to;
        index = (index + 1) & (edges_.size() - 1);
    }
    return none;
}

void TokenAutomaton::add_edge(const Edge &edge) {
    if (edge.from == root) {
        from_root_[edge.byte] = edge.to;
        return;
    }
    if (edges_.size() < 2 * states_.size()) {
        const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(std::bit_ceil(4 * states_.size())));
        for (const Edge &moved : old) {
            if (moved.to != none) add_edge(moved);
        }
    }
    size_t index = place(edge.from, edge.byte);
    while (edges_[index].to != none) index = (index + 1) & (edges_.size() - 1);
    edges_[index] = edge;
}

void TokenAutomaton::add(const Entry &entry, Direction direction) {
    const size_t size = entry.text.size();
    uint32_t state = root;
    for (size_t index = 0; index < size; ++index) {
        const auto byte = static_cast<uint8_t>(entry.text[direction == Direction::forward ? index : size - 1 - index]);
        uint32_t next = child(state, byte);
        if (next == none) {
            next = static_cast<uint32_t>(states_.size());
            states_.emplace_back();
            add_edge({state, next, byte});
        }
        state = next;
    }
    if (state == root || states_[state].token != LLM_TOKEN_NONE) return;
    states_[state].token = entry.token;
    states_[state].length = static_cast<uint32_t>(size);
}

// By depth, so that what a state falls back to is complete before the state itself.
void TokenAutomaton::add_failures() {
    std::vector<uint32_t> first_child(states_.size(), none);
    std::vector<Edge> siblings(states_.size());  // `from`: the next child of the same parent
    const auto note = [&](const Edge &edge) {
        siblings[edge.to] = {first_child[edge.from], edge.to, edge.byte};
        first_child[edge.from] = edge.to;
    };
    for (int byte = 0; byte < 256; ++byte) {
        if (from_root_[byte] != none) note({root, from_root_[byte], static_cast<uint8_t>(byte)});
    }
    for (const Edge &edge : edges_) {
        if (edge.to != none) note(edge);
    }

    std::vector<uint32_t> queue = {root};
    queue.reserve(states_.size());
    for (size_t index = 0; index < queue.size(); ++index) {
        const uint32_t parent = queue[index];
        for (uint32_t number = first_child[parent]; number != none; number = siblings[number].from) {
            State &state = states_[number];
            if (parent != root) state.failure = step(states_[parent].failure, siblings[number].byte);
            state.match = state.token != LLM_TOKEN_NONE ? number : states_[state.failure].match;
            queue.push_back(number);
        }
    }
}

uint32_t TokenAutomaton::step(uint32_t state, uint8_t byte) const {
    for (;;) {
        const uint32_t next = child(state, byte);
        if (next != none) return next;
        if (state == root) return root;
        state = states_[state].failure;
    }
}

}  // namespace llm
