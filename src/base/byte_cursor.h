// The only way in which bytes of a file are parsed: a position that moves forward through bytes and fails, with the
// name of the field, before it would leave them. Numbers are little-endian.
#pragma once

#include "base/error.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace llm {

template <class T>
requires std::is_arithmetic_v<T> T load_little_endian(const uint8_t *bytes) {
    if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<float>(load_little_endian<uint32_t>(bytes));
    } else if constexpr (std::is_same_v<T, double>) {
        return std::bit_cast<double>(load_little_endian<uint64_t>(bytes));
    } else {
        uint64_t value = 0;
        for (size_t i = 0; i < sizeof(T); ++i) value |= uint64_t{bytes[i]} << (8 * i);
        return static_cast<T>(value);
    }
}

// What is being read, for the message of a failure; made into text only then.
struct BytePlace {
    std::string_view what;               // "value type"
    std::string_view name = {};          // of the key or tensor that it belongs to
    std::optional<uint64_t> index = {};  // of the element of an array

    std::string text() const {
        std::string out(what);
        if (index) out += concat(" ", *index);
        if (!name.empty()) out += concat(" of ", quoted(name));
        return out;
    }
};

class ByteCursor {
public:
    // Supplies the first bytes of something larger as they are needed.
    class Supply {
    public:
        virtual ~Supply() = default;
        // At least the first `count` bytes; valid until the next call.
        virtual std::span<const uint8_t> first_bytes(uint64_t count) = 0;
    };

    explicit ByteCursor(std::span<const uint8_t> bytes) : bytes_(bytes), size_(bytes.size()) {}
    // Over `size` bytes that come from `supply`.
    ByteCursor(Supply &supply, uint64_t size) : size_(size), supply_(&supply) {}

    uint64_t offset() const { return offset_; }
    uint64_t left() const { return size_ - offset_; }

    template <class T>
    T read(const BytePlace &place) {
        return load_little_endian<T>(take(sizeof(T), place).data());
    }

    // The next `count` bytes. With a supply they are valid until the next call.
    std::span<const uint8_t> take(uint64_t count, const BytePlace &place) {
        if (count > left()) fail_truncated(count, place);
        if (count > bytes_.size() - offset_) bytes_ = supply_->first_bytes(offset_ + count);
        const auto taken = bytes_.subspan(offset_, count);
        offset_ += count;
        return taken;
    }

    [[noreturn]] void fail_truncated(uint64_t wanted, const BytePlace &place) const {
        fail(LLM_ERROR_TRUNCATED, "the file is truncated: ", place.text(), " at offset ", offset_, " needs ", wanted,
             " bytes, ", left(), " are left");
    }

private:
    std::span<const uint8_t> bytes_;
    uint64_t size_;
    uint64_t offset_ = 0;  // never above size_, nor above bytes_.size()
    Supply *supply_ = nullptr;
};

}  // namespace llm
