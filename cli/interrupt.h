// Ctrl-C: the first stops the work through the library, the second ends the program.
#pragma once

#include "api.h"

namespace cli {

// From now on Ctrl-C is noted instead of ending the program, once; earlier ones are forgotten.
// wakes_reader: a read() that is waiting fails with EINTR.
void catch_interrupts(bool wakes_reader = false);
bool interrupted();

// While it lives, Ctrl-C also cancels what runs in the context.
class CancelOnInterrupt {
public:
    explicit CancelOnInterrupt(llm_context *context);
    ~CancelOnInterrupt();
    CancelOnInterrupt(const CancelOnInterrupt &) = delete;
    CancelOnInterrupt &operator=(const CancelOnInterrupt &) = delete;
};

}  // namespace cli
