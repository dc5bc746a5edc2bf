// Makes GGUF files in memory, legal ones and, by changing bytes at named places, damaged ones.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace llm::test {

// Bytes that grow at their end; numbers are written little-endian.
class ByteWriter {
public:
    template <class T>
    requires std::is_arithmetic_v<T> ByteWriter &put(T value) {
        uint64_t bits = 0;
        static_assert(sizeof value <= sizeof bits);
        copy_bits(&bits, &value, sizeof value);
        for (size_t i = 0; i < sizeof value; ++i) bytes_.push_back(static_cast<uint8_t>(bits >> (8 * i)));
        return *this;
    }
    ByteWriter &put(std::span<const uint8_t> bytes);
    ByteWriter &put(std::string_view text);  // without a length
    ByteWriter &pad_to(size_t multiple, uint8_t filler = 0);

    size_t size() const { return bytes_.size(); }
    const std::vector<uint8_t> &bytes() const { return bytes_; }

private:
    static void copy_bits(uint64_t *bits, const void *value, size_t size);

    std::vector<uint8_t> bytes_;
};

// GGUF's number of a C++ type.
template <class T>
constexpr uint32_t value_type_number() {
    if constexpr (std::is_same_v<T, uint8_t>)
        return 0;
    else if constexpr (std::is_same_v<T, int8_t>)
        return 1;
    else if constexpr (std::is_same_v<T, uint16_t>)
        return 2;
    else if constexpr (std::is_same_v<T, int16_t>)
        return 3;
    else if constexpr (std::is_same_v<T, uint32_t>)
        return 4;
    else if constexpr (std::is_same_v<T, int32_t>)
        return 5;
    else if constexpr (std::is_same_v<T, float>)
        return 6;
    else if constexpr (std::is_same_v<T, bool>)
        return 7;
    else if constexpr (std::is_same_v<T, uint64_t>)
        return 10;
    else if constexpr (std::is_same_v<T, int64_t>)
        return 11;
    else if constexpr (std::is_same_v<T, double>)
        return 12;
    else
        static_assert(!sizeof(T), "GGUF has no such value type");
}
constexpr uint32_t string_type_number = 8;
constexpr uint32_t array_type_number = 9;

// A finished file, and where its fields are:
//   "version", "tensor_count", "key_count", "data" (start of the tensor data)
//   "key:NAME/length", "key:NAME/name", "key:NAME/type", "key:NAME/value" (for a string its length, for an array its
//   element type), and for arrays "key:NAME/count" and "key:NAME/elements"
//   "tensor:NAME/length", "/name", "/dimension_count", "/dimensions", "/type", "/offset", "/data"
struct BuiltGguf {
    std::vector<uint8_t> bytes;
    std::map<std::string, size_t> places;

    // Overwrites bytes at a place, `shift` bytes further on.
    template <class T>
    BuiltGguf &patch(const std::string &place, T value, size_t shift = 0) {
        const auto written = ByteWriter().put(value).bytes();
        for (size_t i = 0; i < written.size(); ++i) bytes.at(places.at(place) + shift + i) = written[i];
        return *this;
    }
};

class GgufBuilder {
public:
    // Of version 1, 2 or 3.
    explicit GgufBuilder(uint32_t version = 3) : version_(version) {}

    // Keys stay in the order in which they were first set; setting one again replaces its value.
    template <class T>
    requires std::is_arithmetic_v<T> GgufBuilder &set(const std::string &key, T value) {
        return set_key({.name = key, .type = value_type_number<T>(), .payload = ByteWriter().put(value).bytes()});
    }
    GgufBuilder &set(const std::string &key, std::string_view text);
    GgufBuilder &set(const std::string &key, const char *text) { return set(key, std::string_view(text)); }

    template <class T>
    GgufBuilder &set_array(const std::string &key, const std::vector<T> &elements) {
        ByteWriter payload;
        for (const T element : elements) payload.put(element);
        return set_array_raw(key, value_type_number<T>(), elements.size(), payload.bytes());
    }
    GgufBuilder &set_strings(const std::string &key, std::vector<std::string> elements);

    // An array whose elements are given as they are stored; for nested arrays and for what no writer would write.
    GgufBuilder &set_array_raw(const std::string &key, uint32_t element_type, uint64_t count,
                               std::vector<uint8_t> payload);

    // The same key once more, without replacing the first.
    GgufBuilder &duplicate_key(const std::string &key);

    GgufBuilder &remove(const std::string &key);

    // `dimensions` are fastest-running first. Tensors follow each other in the data, each at the next multiple of the
    // alignment.
    GgufBuilder &add_tensor(const std::string &name, std::vector<uint64_t> dimensions, uint32_t type,
                            std::vector<uint8_t> data);
    GgufBuilder &remove_tensor(const std::string &name);
    // Changes a tensor in place; fails the test program by an exception when there is none.
    GgufBuilder &reshape_tensor(const std::string &name, std::vector<uint64_t> dimensions, uint32_t type,
                                std::vector<uint8_t> data);

    // Of the data and the tensors in it; `general.alignment` is set by the caller.
    GgufBuilder &align(size_t alignment);
    // What stands in the gaps.
    GgufBuilder &fill_gaps_with(uint8_t filler);

    BuiltGguf build() const;
    std::vector<uint8_t> bytes() const { return build().bytes; }

    // A length as this version stores it.
    static void put_length(ByteWriter &out, uint64_t length, uint32_t version);

private:
    struct Key {
        std::string name;
        uint32_t type = 0;
        uint32_t element_type = 0;
        uint64_t count = 0;
        std::vector<uint8_t> payload = {};    // of numbers and of arrays
        std::vector<std::string> texts = {};  // of a string (one) or an array of strings
    };
    struct Tensor {
        std::string name;
        std::vector<uint64_t> dimensions;
        uint32_t type;
        std::vector<uint8_t> data;
    };

    GgufBuilder &set_key(Key key);
    void write_key(ByteWriter &out, BuiltGguf &built, const Key &key) const;

    uint32_t version_;
    size_t alignment_ = 32;
    uint8_t filler_ = 0;
    std::vector<Key> keys_;
    std::vector<Tensor> tensors_;
};

}  // namespace llm::test
