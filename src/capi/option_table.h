// The options of llm.h by name: one table, from which init, set, describe and the checks are made.
#pragma once

#include <llm/llm.h>

#include <cstddef>
#include <span>

namespace llm {

enum class FieldType { int32, uint32, uint64, float32 };

struct OptionField {
    const char *name;
    const char *help;
    const char *choices;  // words of an int32 field, or nullptr
    FieldType type;
    size_t offset;  // in the group's struct
    double default_value, minimum, maximum;
};

// The fields of a group; empty for an unknown one.
std::span<const OptionField> option_fields(llm_option_group group);

// Fails with LLM_ERROR_ARGUMENT when a field of the struct is outside its range or not finite.
void check_options(const void *options, llm_option_group group);

// Writes the table's defaults into a struct whose other bytes are already set.
void set_default_options(void *options, llm_option_group group);

// Sets one field from text.
void set_option(void *options, llm_option_group group, const char *name, const char *value);

}  // namespace llm
