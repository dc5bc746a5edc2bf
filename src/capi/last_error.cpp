#include "capi/last_error.h"

#include <llm/llm.h>

#include <algorithm>
#include <cstring>

namespace llm {

namespace {

struct LastError {
    char text[512];
    size_t length;
};

thread_local LastError last_error = {"", 0};

}  // namespace

void set_last_error(const char *text) noexcept {
    last_error.length = std::min(std::strlen(text), sizeof last_error.text - 1);
    std::memcpy(last_error.text, text, last_error.length);
    last_error.text[last_error.length] = '\0';
}

}  // namespace llm

llm_status llm_last_error(char *out, size_t capacity, size_t *length) {
    const llm::LastError &error = llm::last_error;
    if (length) *length = error.length;
    if (!out && capacity > 0) return LLM_ERROR_ARGUMENT;
    if (capacity <= error.length) return LLM_BUFFER_TOO_SMALL;
    std::memcpy(out, error.text, error.length + 1);
    return LLM_OK;
}
