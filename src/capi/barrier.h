// The one place where C++ ends: every exported function that can fail runs its body in here.
#pragma once

#include "base/error.h"
#include "base/float_environment.h"
#include "capi/call_scope.h"
#include "capi/last_error.h"

#include <new>

namespace llm {

// Runs body(), which returns a status, and turns whatever it throws into a status with its text.
template <class Body>
llm_status barrier(Body &&body) noexcept {
    const CallScope scope;
    const DefaultFloatEnvironment float_environment;
    try {
        return body();
    } catch (const Error &error) {
        set_last_error(error.what());
        return error.status();
    } catch (const std::bad_alloc &) {
        set_last_error("out of memory");
        return LLM_ERROR_NO_MEMORY;
    } catch (const std::exception &error) {
        set_last_error(error.what());
        return LLM_ERROR_INTERNAL;
    } catch (...) {
        set_last_error("an unknown exception");
        return LLM_ERROR_INTERNAL;
    }
}

// LLM_ERROR_ARGUMENT unless the pointer is set; `name` as llm.h calls it.
template <class T>
T &required(T *pointer, const char *name) {
    if (!pointer) fail(LLM_ERROR_ARGUMENT, "argument '", name, "' is NULL");
    return *pointer;
}

}  // namespace llm
