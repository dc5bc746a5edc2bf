// The memory section of llm-cli inspect.
#pragma once

#include "api.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cli {

// "135.0 M": three digits and a prefix.
std::string scaled(double value, const char *unit);
// A line of a text that names and tells.
std::string line(const std::string &name, const std::string &text);

// What the model and a context of these options take, and what the context would take with each type of cache.
nlohmann::ordered_json memory_json(const llm_model *model, const llm_context_options &options);
std::string memory_text(const llm_model *model, const llm_context_options &options);

}  // namespace cli
