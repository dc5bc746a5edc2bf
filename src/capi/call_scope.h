// What a running call of the interface holds: the objects behind the handles that it was given.
#pragma once

#include "capi/handle_table.h"

namespace llm {

// The innermost scope of a thread keeps the records of the handles that are looked up in it, so that a handle which
// another thread closes meanwhile ends with the call and not under it.
class CallScope {
public:
    CallScope() noexcept;
    ~CallScope();
    CallScope(const CallScope &) = delete;
    CallScope &operator=(const CallScope &) = delete;

    // Only inside a scope.
    static HandleRecord &keep(HandlePin pin);

private:
    static constexpr int most_handles = 8;  // more than any function takes

    CallScope *outer_;  // a callback may call the library
    HandlePin pins_[most_handles];
    int count_ = 0;
};

}  // namespace llm
