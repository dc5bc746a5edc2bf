#include "capi/call_scope.h"

#include "base/error.h"

#include <utility>

namespace llm {

namespace {

thread_local CallScope *innermost = nullptr;

}  // namespace

CallScope::CallScope() noexcept : outer_(std::exchange(innermost, this)) {}

CallScope::~CallScope() { innermost = outer_; }

HandleRecord &CallScope::keep(HandlePin pin) {
    CallScope &scope = *innermost;
    if (scope.count_ == most_handles) fail(LLM_ERROR_INTERNAL, "a call uses more than ", most_handles, " handles");
    HandlePin &kept = scope.pins_[scope.count_++];
    kept = std::move(pin);
    return kept.record();
}

}  // namespace llm
