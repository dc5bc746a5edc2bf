// Between the structs and buffers of llm.h and the engine.
#pragma once

#include "base/error.h"
#include "base/memory_provider.h"
#include "capi/barrier.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

namespace llm {

// The caller's options as this library knows them: `defaults` overlaid with the fields that the caller's struct has.
// LLM_ERROR_TOO_NEW when it is larger and what this library does not know is not zero.
template <class Options>
Options read_options(const Options *given, const Options &defaults) {
    Options out = defaults;
    if (!given) return out;
    const size_t size = given->struct_size;
    if (size < sizeof(size_t))
        fail(LLM_ERROR_ARGUMENT, "struct_size is ", size, "; start from the options' INIT macro");
    const auto *bytes = reinterpret_cast<const unsigned char *>(given);
    if (size > sizeof(Options) && std::any_of(bytes + sizeof(Options), bytes + size, [](unsigned char b) { return b; }))
        fail(LLM_ERROR_TOO_NEW, "the options have ", size, " bytes, this library knows the first ", sizeof(Options));
    std::memcpy(&out, given, std::min(size, sizeof(Options)));
    out.struct_size = sizeof(Options);
    return out;
}

// The host's allocator in an option struct, whose two functions come together.
template <class Options>
HostAllocator host_allocator(const Options &options) {
    if (!options.allocate != !options.release)
        fail(LLM_ERROR_ARGUMENT, "the options have ",
             options.allocate ? "'allocate' without 'release'" : "'release' without 'allocate'");
    return {options.allocate, options.release, options.memory_user};
}

// The size of a caller's result struct, checked.
template <class Result>
size_t result_size(const Result *out, const char *name) {
    const size_t size = required(out, name).struct_size;
    if (size < sizeof(size_t))
        fail(LLM_ERROR_ARGUMENT, "struct_size of '", name, "' is ", size, "; start from its INIT macro");
    return size;
}

// Writes as much of a result struct as the caller's has. Its struct_size stays the caller's.
template <class Result>
void write_result(Result *out, const char *name, Result result) {
    const size_t size = result_size(out, name);
    result.struct_size = size;
    std::memcpy(static_cast<void *>(out), &result, std::min(size, sizeof(Result)));
}

// Gives a result through a caller's buffer: the needed size always, the elements when they fit.
template <class T>
llm_status write_buffer(T *out, size_t capacity, size_t *count, std::span<const T> result) {
    if (!out && capacity > 0) fail(LLM_ERROR_ARGUMENT, "the buffer is NULL but its capacity is ", capacity);
    if (count) *count = result.size();
    if (result.size() > capacity) return LLM_BUFFER_TOO_SMALL;
    std::copy(result.begin(), result.end(), out);
    return LLM_OK;
}

inline llm_status write_text(char *out, size_t capacity, size_t *length, std::string_view text) {
    return write_buffer<char>(out, capacity, length, {text.data(), text.size()});
}

// A caller's array, which may be NULL only when it is empty.
template <class T>
std::span<const T> read_array(const T *data, size_t count, const char *name) {
    if (!data && count > 0) fail(LLM_ERROR_ARGUMENT, "argument '", name, "' is NULL but its count is ", count);
    return {data, count};
}

}  // namespace llm
