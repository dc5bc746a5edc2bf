// A bar on the terminal while a model is loaded.
#pragma once

#include <cstdint>

namespace cli {

// A progress callback of the library: shows a bar on standard error, if that is a terminal, once loading has taken half
// a second; stops the load after Ctrl-C.
std::int32_t show_load_progress(void *user, float done);

}  // namespace cli
