// The chat templates that a model file holds.
#pragma once

#include "api.h"

#include <string>
#include <vector>

namespace cli {

// In the file's order.
std::vector<std::string> template_names(const llm_model *model);

// LLM_ERROR_NOT_FOUND when there is none of that name.
std::string template_source(const llm_model *model, const std::string &name);

}  // namespace cli
