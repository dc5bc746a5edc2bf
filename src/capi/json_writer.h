// Writes small JSON objects. Text is escaped, and bytes that are no UTF-8 become U+FFFD, so that the result is always
// valid.
#pragma once

#include <string>
#include <string_view>

namespace llm {

class JsonWriter {
public:
    JsonWriter &begin_object(std::string_view key = {});
    JsonWriter &end_object();
    JsonWriter &begin_array(std::string_view key);
    JsonWriter &end_array();
    JsonWriter &text(std::string_view key, std::string_view value);  // key "" inside an array
    JsonWriter &number(std::string_view key, long long value);
    JsonWriter &boolean(std::string_view key, bool value);

    const std::string &str() const { return out_; }

private:
    void begin_member(std::string_view key);
    void append_quoted(std::string_view text);

    std::string out_;
    bool needs_comma_ = false;
};

}  // namespace llm
