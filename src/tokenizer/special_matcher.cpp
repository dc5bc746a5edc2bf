#include "tokenizer/special_matcher.h"

#include "base/error.h"

#include <algorithm>
#include <bit>

namespace llm {

namespace {

size_t edge_place(uint32_t state, uint8_t byte) {
    return static_cast<size_t>((((uint64_t(state) << 8) | byte) * 0x9E3779B97F4A7C15u) >> 32);
}

}  // namespace

SpecialMatcher::SpecialMatcher(std::span<const Entry> entries) : states_(1) {
    from_root_.fill(none);
    size_t most_states = 1;
    for (const Entry &entry : entries) most_states += entry.text.size();
    if (most_states >= none) fail(LLM_ERROR_LIMIT, "the special tokens' texts are longer than 4 GiB together");
    edges_.resize(std::bit_ceil(2 * most_states));
    for (const Entry &entry : entries) add(entry);
    add_failures();
}

uint32_t SpecialMatcher::child(uint32_t state, uint8_t byte) const {
    if (state == root) return from_root_[byte];
    size_t index = edge_place(state, byte) & (edges_.size() - 1);
    while (edges_[index].to != none) {
        const Edge &edge = edges_[index];
        if (edge.from == state && states_[edge.to].byte == byte) return edge.to;
        index = (index + 1) & (edges_.size() - 1);
    }
    return none;
}

void SpecialMatcher::add_edge(uint32_t from, uint32_t to) {
    states_[to].next_sibling = states_[from].first_child;
    states_[from].first_child = to;
    if (from == root) {
        from_root_[states_[to].byte] = to;
        return;
    }
    size_t index = edge_place(from, states_[to].byte) & (edges_.size() - 1);
    while (edges_[index].to != none) index = (index + 1) & (edges_.size() - 1);
    edges_[index] = {from, to};
}

void SpecialMatcher::add(const Entry &entry) {
    uint32_t state = root;
    for (size_t index = entry.text.size(); index-- > 0;) {
        const auto byte = static_cast<uint8_t>(entry.text[index]);
        uint32_t next = child(state, byte);
        if (next == none) {
            next = static_cast<uint32_t>(states_.size());
            states_.push_back({});
            states_[next].byte = byte;
            add_edge(state, next);
        }
        state = next;
    }
    if (state == root || states_[state].token != LLM_TOKEN_NONE) return;
    states_[state].token = entry.token;
    states_[state].token_length = static_cast<uint32_t>(entry.text.size());
}

// Breadth first, so that what a state falls back to is complete before the state itself.
void SpecialMatcher::add_failures() {
    std::vector<uint32_t> queue = {root};
    queue.reserve(states_.size());
    for (size_t next = 0; next < queue.size(); ++next) {
        const uint32_t parent = queue[next];
        for (uint32_t state = states_[parent].first_child; state != none; state = states_[state].next_sibling) {
            queue.push_back(state);
            if (parent == root) continue;
            State &current = states_[state];
            current.failure = step(states_[parent].failure, current.byte);
            const State &shorter = states_[current.failure];
            if (current.token == LLM_TOKEN_NONE) {
                current.token = shorter.token;
                current.token_length = shorter.token_length;
            }
        }
    }
}

uint32_t SpecialMatcher::step(uint32_t state, uint8_t byte) const {
    for (;;) {
        const uint32_t next = child(state, byte);
        if (next != none) return next;
        if (state == root) return root;
        state = states_[state].failure;
    }
}

std::vector<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text) const {
    std::vector<Match> matches;
    if (states_.size() == 1) return matches;
    uint32_t state = root;
    for (auto index = static_cast<uint32_t>(text.size()); index-- > 0;) {
        const auto byte = static_cast<uint8_t>(text[index]);
        if (state == root && from_root_[byte] == none) continue;
        state = step(state, byte);
        const State &current = states_[state];
        if (current.token != LLM_TOKEN_NONE) matches.push_back({index, index + current.token_length, current.token});
    }
    std::ranges::reverse(matches);
    uint32_t end = 0;
    std::erase_if(matches, [&](const Match &match) {
        if (match.begin < end) return true;
        end = match.end;
        return false;
    });
    return matches;
}

}  // namespace llm
