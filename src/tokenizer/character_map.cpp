#include "tokenizer/character_map.h"

#include "base/error.h"

#include <algorithm>
#include <utility>

namespace llm {

namespace {

constexpr std::string_view key = "tokenizer.ggml.precompiled_charsmap";
constexpr uint32_t longest_sequence = 255;
constexpr uint32_t none = UINT32_MAX;

uint32_t load_u32(std::span<const uint8_t> bytes) {
    return uint32_t(bytes[0]) | uint32_t(bytes[1]) << 8 | uint32_t(bytes[2]) << 16 | uint32_t(bytes[3]) << 24;
}

}  // namespace

CharacterMap::CharacterMap(std::span<const uint8_t> blob) {
    constexpr size_t header = sizeof(uint32_t);
    if (blob.empty()) return;
    if (blob.size() < header) fail(LLM_ERROR_VOCABULARY, key, " has ", blob.size(), " bytes, its header ", header);
    const uint32_t trie_bytes = load_u32(blob);
    blob = blob.subspan(header);
    if (trie_bytes > blob.size() || trie_bytes % sizeof(uint32_t) != 0) {
        fail(LLM_ERROR_VOCABULARY, key, " announces a trie of ", trie_bytes, " bytes, but ", blob.size(), " follow");
    }
    trie_.reserve(trie_bytes / sizeof(uint32_t));
    for (size_t begin = 0; begin < trie_bytes; begin += sizeof(uint32_t)) {
        trie_.push_back(load_u32(blob.subspan(begin)));
    }
    blob = blob.subspan(trie_bytes);
    replacements_.assign(blob.begin(), blob.end());
    if (!trie_.empty() && (replacements_.empty() || replacements_.back() != '\0')) {
        fail(LLM_ERROR_VOCABULARY, key, " does not end with a NUL");
    }
    if (!trie_.empty()) check_paths();
}

struct CharacterMap::Visit {
    uint32_t node;
    uint32_t next_child;  // not yet visited
    uint32_t height = 0;  // bytes of the longest path from here on, as far as it is known
};

CharacterMap::Visit CharacterMap::enter(uint32_t node, std::span<const uint32_t> first_children) const {
    const uint32_t base = node ^ offset(trie_[node]);
    if (base >= trie_.size()) {
        fail(LLM_ERROR_VOCABULARY, key, " has a trie of ", trie_.size(), " elements that leads to element ", base);
    }
    if (node != 0 && has_value(trie_[node]) && value(trie_[base]) >= replacements_.size()) {
        fail(LLM_ERROR_VOCABULARY, key, " has ", replacements_.size(), " bytes of replacements, element ", base,
             " points to byte ", value(trie_[base]));
    }
    return {node, first_children[base]};
}

// Goes once along every path, on a stack of its own. Paths may share nodes, but none may meet itself.
void CharacterMap::check_paths() const {
    // The children of a node are those elements whose index, combined with their label, is its base.
    std::vector<uint32_t> first_children(trie_.size(), none), next_sibling(trie_.size(), none);
    for (uint32_t index = 1; index < trie_.size(); ++index) {
        const uint32_t base = index ^ label(trie_[index]);
        if (label(trie_[index]) > 255 || base >= trie_.size()) continue;
        next_sibling[index] = std::exchange(first_children[base], index);
    }

    constexpr uint32_t unknown = none, on_path = none - 1;
    std::vector<uint32_t> heights(trie_.size(), unknown);
    std::vector<Visit> path = {enter(0, first_children)};
    heights[0] = on_path;
    while (!path.empty()) {
        Visit &visit = path.back();
        if (visit.next_child != none) {
            const uint32_t child = std::exchange(visit.next_child, next_sibling[visit.next_child]);
            if (heights[child] == on_path)
                fail(LLM_ERROR_VOCABULARY, key, " has a trie with a circle at element ", child);
            if (heights[child] == unknown) {
                heights[child] = on_path;
                path.push_back(enter(child, first_children));
            } else {
                visit.height = std::max(visit.height, heights[child] + 1);
            }
            continue;
        }
        const uint32_t height = visit.height;
        if (height > longest_sequence) {
            fail(LLM_ERROR_VOCABULARY, key, " has a sequence of more than ", longest_sequence, " bytes");
        }
        heights[visit.node] = height;
        path.pop_back();
        if (!path.empty()) path.back().height = std::max(path.back().height, height + 1);
    }
}

CharacterMap::Replacement CharacterMap::find(std::string_view text) const {
    Replacement found;
    if (trie_.empty()) return found;
    uint32_t node = offset(trie_[0]);
    for (size_t index = 0; index < text.size(); ++index) {
        const auto byte = static_cast<uint8_t>(text[index]);
        node ^= byte;
        if (node >= trie_.size() || label(trie_[node]) != byte) break;
        const uint32_t unit = trie_[node];
        node ^= offset(unit);
        if (has_value(unit)) found = {index + 1, std::string_view(replacements_.data() + value(trie_[node]))};
    }
    return found;
}

}  // namespace llm
