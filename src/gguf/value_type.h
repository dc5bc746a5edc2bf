// Types of GGUF metadata values: numbers, names, sizes.
#pragma once

#include <cstdint>
#include <string_view>

namespace llm {

// GGUF's own numbers.
enum class ValueType : uint32_t {
    u8 = 0,
    i8 = 1,
    u16 = 2,
    i16 = 3,
    u32 = 4,
    i32 = 5,
    f32 = 6,
    boolean = 7,
    string = 8,
    array = 9,
    u64 = 10,
    i64 = 11,
    f64 = 12,
};

constexpr uint32_t value_type_count = 13;

// "u32"; "string", "array".
std::string_view value_type_name(ValueType type);

// Bytes of a number or bool; 0 for strings and arrays, whose values differ in size.
uint32_t scalar_size(ValueType type);

// One metadata value, or one element of an array. Only the member of its type is meaningful.
struct GgufValue {
    ValueType type = ValueType::u8;
    ValueType element_type = ValueType::u8;  // of an array
    uint64_t count = 1;                      // elements of an array
    uint64_t u = 0;                          // u8, u16, u32, u64, boolean
    int64_t i = 0;                           // i8, i16, i32, i64
    double f = 0.0;                          // f32, f64
    std::string_view text;                   // string
};

}  // namespace llm
