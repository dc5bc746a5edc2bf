// Metadata of a model file as JSON and as text.
#pragma once

#include "api.h"
#include "json_output.h"

namespace cli {

// The whole value, arrays with all their elements.
Json value_json(const llm_model *model, const char *key);

// The whole value, a text as it is, all else as JSON.
std::string value_text(const llm_model *model, const char *key);

// One line that may be shown on a terminal; of arrays and texts only the beginning.
std::string value_line(const llm_model *model, const char *key);

}  // namespace cli
