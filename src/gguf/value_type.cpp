// The table of value types.
#include "gguf/value_type.h"

#include <array>

namespace llm {

namespace {

struct Traits {
    std::string_view name;
    uint32_t size;
};

constexpr std::array<Traits, value_type_count> all_traits = {{
    {"u8", 1},
    {"i8", 1},
    {"u16", 2},
    {"i16", 2},
    {"u32", 4},
    {"i32", 4},
    {"f32", 4},
    {"bool", 1},
    {"string", 0},
    {"array", 0},
    {"u64", 8},
    {"i64", 8},
    {"f64", 8},
}};

}  // namespace

std::string_view value_type_name(ValueType type) { return all_traits[static_cast<uint32_t>(type)].name; }

uint32_t scalar_size(ValueType type) { return all_traits[static_cast<uint32_t>(type)].size; }

}  // namespace llm
