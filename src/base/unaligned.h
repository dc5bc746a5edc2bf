// Numbers in byte buffers of any alignment. The library supports little-endian machines only, as GGUF does.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>

namespace llm {

static_assert(std::endian::native == std::endian::little);

template <class T>
T load_unaligned(const void *from) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store_unaligned(void *to, std::type_identity_t<T> value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(to, &value, sizeof value);
}

}  // namespace llm
