// Tokens as text and as JSON: their ids alone, or with what they stand for.
#pragma once

#include "api.h"
#include "json_output.h"

#include <string>
#include <vector>

namespace cli {

std::string id_list(const std::vector<llm_token> &ids);

// One below the other. Control tokens are marked as such, on a terminal also by colour.
std::string id_table(const llm_model *model, const std::vector<llm_token> &ids);

// {"count": ..., "tokens": [{"id": ..., "text": ..., "control": false}, ...]}
Json id_json(const llm_model *model, const std::vector<llm_token> &ids);

}  // namespace cli
