#include "engine/state.h"

#include "base/byte_cursor.h"
#include "base/checked_math.h"
#include "base/hash.h"

#include <algorithm>
#include <cstring>

namespace llm {

namespace {

constexpr char magic[] = {'L', 'L', 'M', 'S', 'T', 'A', 'T', 'E'};
constexpr uint32_t version = 1;

template <class T>
uint8_t *put(uint8_t *to, T value) {
    for (size_t i = 0; i < sizeof value; ++i) *to++ = static_cast<uint8_t>(value >> (8 * i));
    return to;
}

std::optional<uint64_t> announced_bytes(const StateHeader &header) {
    const auto tokens = uint64_t{header.token_count} * sizeof(uint32_t);
    const auto sum = checked_add(header.cache_bytes, tokens);
    return sum ? checked_add(*sum, StateHeader::bytes + sizeof(uint64_t)) : std::nullopt;
}

}  // namespace

void write_state_header(std::span<uint8_t> state, const StateHeader &header) {
    uint8_t *to = std::copy(std::begin(magic), std::end(magic), state.data());
    for (const uint32_t value : {version, static_cast<uint32_t>(header.key_type),
                                 static_cast<uint32_t>(header.value_type), header.token_count})
        to = put(to, value);
    for (const uint64_t value : {header.fingerprint, header.cache_bytes}) to = put(to, value);
}

void seal_state(std::span<uint8_t> state) {
    const size_t content = state.size() - sizeof(uint64_t);
    put(state.data() + content, hash_bytes(state.first(content)));
}

StateHeader check_state(std::span<const uint8_t> state) {
    if (state.size() < StateHeader::bytes + sizeof(uint64_t))
        fail(LLM_ERROR_TRUNCATED, "the state has ", state.size(), " bytes, at least ",
             StateHeader::bytes + sizeof(uint64_t), " are needed");
    ByteCursor cursor(state);
    if (std::memcmp(cursor.take(sizeof magic, {"magic"}).data(), magic, sizeof magic) != 0)
        fail(LLM_ERROR_MALFORMED, "this is no saved state: it does not begin with LLMSTATE");
    if (const auto found = cursor.read<uint32_t>({"version"}); found != version)
        fail(LLM_ERROR_UNSUPPORTED, "the state has version ", found, ", this library reads version ", version);
    StateHeader header;
    header.key_type = static_cast<CacheType>(cursor.read<uint32_t>({"type of keys"}));
    header.value_type = static_cast<CacheType>(cursor.read<uint32_t>({"type of values"}));
    header.token_count = cursor.read<uint32_t>({"number of tokens"});
    header.fingerprint = cursor.read<uint64_t>({"fingerprint"});
    header.cache_bytes = cursor.read<uint64_t>({"bytes of the cache"});
    const auto announced = announced_bytes(header);
    if (!announced || *announced > state.size())
        fail(LLM_ERROR_TRUNCATED, "the state is truncated: it has ", state.size(), " bytes, and announces ",
             announced.value_or(UINT64_MAX));
    if (*announced < state.size())
        fail(LLM_ERROR_MALFORMED, "the state has ", state.size(), " bytes, and announces ", *announced);
    const size_t content = state.size() - sizeof(uint64_t);
    if (hash_bytes(state.first(content)) != load_little_endian<uint64_t>(state.data() + content))
        fail(LLM_ERROR_MALFORMED, "the state is damaged: its checksum is wrong");
    return header;
}

}  // namespace llm
