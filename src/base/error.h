// The one exception type of the library. It is thrown where a fault is found, with the text that the caller will
// read, and caught only at the barrier of the C functions (capi/barrier.h).
#pragma once

#include <llm/llm.h>  // for the status numbers only

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace llm {

class Error : public std::exception {
public:
    Error(llm_status status, std::string text) : status_(status), text_(std::move(text)) {}

    llm_status status() const { return status_; }
    const char *what() const noexcept override { return text_.c_str(); }

private:
    llm_status status_;
    std::string text_;
};

namespace detail {
void append(std::string &out, std::string_view text);
void append(std::string &out, double value);
template <class T>
requires std::is_integral_v<T>
void append(std::string &out, T value) { append(out, std::string_view(std::to_string(value))); }
}  // namespace detail

// Joins texts and numbers into one string.
template <class... Parts>
std::string concat(const Parts &...parts) {
    std::string out;
    (detail::append(out, parts), ...);
    return out;
}

template <class... Parts>
[[noreturn]] void fail(llm_status status, const Parts &...parts) {
    throw Error(status, concat(parts...));
}

// A text from outside as it may stand in a message: in quotes, shortened after 64 bytes, everything but printable
// ASCII escaped.
std::string quoted(std::string_view text);

}  // namespace llm
