// Token ids as text: in a line, or one below the other with what they stand for.
#pragma once

#include "api.h"

#include <string>
#include <vector>

namespace cli {

std::string id_list(const std::vector<llm_token> &ids);

// show_control: control tokens are marked as such.
std::string id_table(const llm_model *model, const std::vector<llm_token> &ids, bool show_control = false);

}  // namespace cli
