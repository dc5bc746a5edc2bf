// The process-wide log. It is silent until a callback is set.
#pragma once

#include "base/error.h"

namespace llm {

// Replaces the callback; NULL is silence. When this returns, the previous callback is no longer running or called.
// LLM_ERROR_STATE from inside a callback, which would have to wait for itself.
void set_log(llm_log_callback callback, void *user, llm_log_level minimum);

// Whether a line of this level would reach a callback now.
bool log_enabled(llm_log_level level);

// Hands a line to the callback if its level is wanted; lines from inside a callback are dropped.
void log_line(llm_log_level level, std::string_view line);

// Joins the parts as concat() does, but only for a line that is wanted.
template <class... Parts>
void log(llm_log_level level, const Parts &...parts) {
    if (log_enabled(level)) log_line(level, concat(parts...));
}

}  // namespace llm
