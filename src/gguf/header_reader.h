// The elements that a GGUF header is made of, read one after another and checked.
#pragma once

#include "base/byte_cursor.h"
#include "gguf/value_type.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace llm {

// A size beyond this can be in no file: it is damage, whereas a smaller one that does not fit is a truncated file.
constexpr uint64_t largest_file = uint64_t{1} << 48;

// Arrays within arrays: levels that are read, the outermost included. No known key has more than two.
constexpr size_t deepest_array = 4;

class HeaderReader {
public:
    struct Array {
        ValueType type;  // of the elements
        uint64_t count;
    };

    HeaderReader(ByteCursor &cursor, uint32_t version) : cursor_(cursor), version_(version) {}

    // Bytes of a length, count or dimension: version 1 has them in 32 bits.
    static uint32_t length_size(uint32_t version) { return version == 1 ? 4 : 8; }
    uint32_t length_size() const { return length_size(version_); }

    uint64_t offset() const { return cursor_.offset(); }

    template <class T>
    T read(const BytePlace &place) {
        return cursor_.read<T>(place);
    }

    uint64_t length(const BytePlace &place);

    // A number of things that take at least `smallest` bytes each; checked against the bytes that are left.
    uint64_t count(uint64_t smallest, const BytePlace &place);

    // The name of a key or tensor: printable ASCII, not empty, at most `longest` bytes.
    std::string name(uint64_t longest, const BytePlace &place);

    ValueType value_type(const BytePlace &place);

    // An array's element type and count. `name` here and below is the key's, for messages.
    Array array(std::string_view name);

    // A length and as many bytes, which live as long as the cursor's.
    std::string_view string(const BytePlace &place);

    // A value, of an array only type and count.
    GgufValue value(ValueType type, std::string_view name);

    // Passes over values of one type, whatever they contain.
    void skip(ValueType type, uint64_t count, std::string_view name);

private:
    void skip_scalars(ValueType type, uint64_t count, std::string_view name);

    ByteCursor &cursor_;
    uint32_t version_;
};

}  // namespace llm
