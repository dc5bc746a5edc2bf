// Finds all tokens in a text in one pass, however many tokens there are and however they overlap.
#pragma once

#include <llm/llm.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

// The automaton of Aho and Corasick ("Efficient string matching", 1975): after each byte its state is the longest
// beginning of a token that the text read so far ends with. Reading forward it knows which tokens end at each place;
// reading from the end of the text to its start, which begin there.
class TokenAutomaton {
public:
    enum class Direction : uint8_t { forward, backward };

    struct Entry {
        std::string_view text;  // an empty one is never found; of equal ones the first counts
        llm_token token;
    };
    struct Match {
        llm_token token;
        uint32_t length;
    };

    TokenAutomaton(std::span<const Entry> entries, Direction direction);

    static constexpr uint32_t root = 0;

    bool empty() const { return states_.size() == 1; }

    // Whether a token may start (in the direction of reading) with a byte.
    bool leaves_root(uint8_t byte) const { return from_root_[byte] != none; }

    uint32_t step(uint32_t state, uint8_t byte) const;

    // The tokens that are complete in a state, the longest first: numbers for match(), ended by `root`.
    uint32_t first_match(uint32_t state) const { return states_[state].match; }
    uint32_t next_match(uint32_t number) const { return states_[states_[number].failure].match; }
    Match match(uint32_t number) const { return {states_[number].token, states_[number].length}; }

private:
    static constexpr uint32_t none = UINT32_MAX;

    struct State {
        uint32_t failure = root;           // the state of its longest proper ending
        uint32_t match = root;             // itself if a token is complete in it, else that of `failure`
        llm_token token = LLM_TOKEN_NONE;  // complete in this very state
        uint32_t length = 0;
    };
    struct Edge {
        uint32_t from = none;
        uint32_t to = none;
        uint8_t byte = 0;
    };

    size_t place(uint32_t state, uint8_t byte) const;
    uint32_t child(uint32_t state, uint8_t byte) const;
    void add(const Entry &entry, Direction direction);
    void add_edge(const Edge &edge);
    void add_failures();

    std::vector<State> states_;  // a child comes after its parent
    std::vector<Edge> edges_;    // hash table of those that do not leave the root; a power of two, at most half full
    std::array<uint32_t, 256> from_root_;
};

}  // namespace llm
