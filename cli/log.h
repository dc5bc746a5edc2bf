// The library's log: warnings on standard error, with --verbose all of it, with --log-file in a file.
#pragma once

#include "options.h"

namespace cli {

void add_log_options(Options &options);

// Throws when the file cannot be written.
void start_log(const Options &options);

}  // namespace cli
