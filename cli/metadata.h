// Metadata of a model file as JSON and as text.
#pragma once

#include "api.h"

#include <nlohmann/json.hpp>

namespace cli {

// The whole value, arrays with all their elements.
nlohmann::ordered_json value_json(const llm_model *model, const char *key);

// One line that may be shown on a terminal; of arrays and texts only the beginning.
std::string value_line(const llm_model *model, const char *key);

}  // namespace cli
