// The calling thread's last error text.
#pragma once

namespace llm {

// Keeps a copy, shortened if need be. Never fails: it takes no memory.
void set_last_error(const char *text) noexcept;

}  // namespace llm
