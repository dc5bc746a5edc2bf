// Which tier of kernels the process uses: decided once, by name, by LLM_CPU, or as the best that the machine has.
#pragma once

#include "kernels/kernel_table.h"

#include <string>

namespace llm {

// The table in use; chosen now if none was yet. LLM_ERROR_ARGUMENT or LLM_ERROR_UNSUPPORTED when LLM_CPU holds an
// unknown name or a tier that this machine does not have.
const KernelTable &active_kernels();

// Chooses by name; nullptr or "auto" means the best. LLM_ERROR_STATE when another tier is in use already.
void select_kernels(const char *tier);

// Names of the tiers that this machine has, in ascending order, joined by `separator`.
std::string available_tiers(const char *separator);

}  // namespace llm
