// Finds the special tokens in a text, in one pass however many there are.
#pragma once

#include <llm/llm.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llm {

// An automaton after Aho and Corasick. It reads the text from its end to its start, so that at each place it knows the
// longest token that begins there; taking those from the left, each after the end of the one before, then gives
// leftmost-longest matches.
class SpecialMatcher {
public:
    struct Entry {
        std::string_view text;  // an empty one matches nothing; of equal ones the first counts
        llm_token token;
    };
    struct Match {
        uint32_t begin;
        uint32_t end;
        llm_token token;
    };

    explicit SpecialMatcher(std::span<const Entry> entries);

    // In ascending order, not overlapping. At most 2^31 bytes of text.
    std::vector<Match> find(std::string_view text) const;

private:
    static constexpr uint32_t none = UINT32_MAX;
    static constexpr uint32_t root = 0;

    struct State {
        uint32_t failure = root;           // the state of the longest proper beginning that is a state too
        llm_token token = LLM_TOKEN_NONE;  // the longest that is complete here
        uint32_t token_length = 0;
        uint32_t first_child = none;
        uint32_t next_sibling = none;
        uint8_t byte = 0;
    };
    struct Edge {
        uint32_t from = none;
        uint32_t to = none;
    };

    uint32_t child(uint32_t state, uint8_t byte) const;
    void add(const Entry &entry);
    void add_edge(uint32_t from, uint32_t to);
    void add_failures();
    uint32_t step(uint32_t state, uint8_t byte) const;

    std::vector<State> states_;
    std::vector<Edge> edges_;              // hash table by state and byte; a power of two, at most half full
    std::array<uint32_t, 256> from_root_;  // none where no token ends with that byte
};

}  // namespace llm
