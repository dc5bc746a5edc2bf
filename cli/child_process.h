// A function in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace cli {

// Runs the function in a child process, which gets a copy of this one's memory, and gives its result. What it throws is
// thrown here: ApiError as such, with LLM_CANCELLED when the child was interrupted, all else as std::runtime_error.
// To be called before the library has made threads, because a child has none of them.
std::string run_in_child(const std::function<std::string()> &function);

}  // namespace cli
