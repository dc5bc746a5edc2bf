// Ctrl-C: the first stops the work through the library, the second ends the program.
#pragma once

#include "api.h"

namespace cli {

// From now on Ctrl-C is noted instead of ending the program, once; earlier ones are forgotten.
void catch_interrupts();
bool interrupted();

// Waits for standard input: true when it can be read, false when Ctrl-C was pressed since catch_interrupts().
bool wait_for_input();

// While it lives, Ctrl-C also cancels what runs in the context.
class CancelOnInterrupt {
public:
    explicit CancelOnInterrupt(llm_context *context);
    ~CancelOnInterrupt();
    CancelOnInterrupt(const CancelOnInterrupt &) = delete;
    CancelOnInterrupt &operator=(const CancelOnInterrupt &) = delete;
};

}  // namespace cli
