// What the commands print with --json and --jsonl: objects on standard output, one in a line, and errors as objects.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cli {

using Json = nlohmann::ordered_json;  // members stay in the order in which they were set

// In one line; ill-formed UTF-8, which JSON cannot express, becomes U+FFFD, and a number that is not finite null.
std::string json_text(const Json &json);

// The value that a text of untrusted origin holds, nested 128 deep at most; discarded (is_discarded()) if there is
// none.
Json parsed_json(const std::string &text);

// Writes an object and a newline to standard output.
void write_json(const Json &object);

// A number of single precision with as few digits as it needs: 1e-05, not 9.999999747378752e-06.
double shortest(double value);

// From now on an error is also written as an object.
void set_json_errors();

// The same if the words of a command line ask for JSON. They are looked at before they are understood, because what
// is wrong with them is an error, too.
void set_json_errors_if_asked(const std::vector<std::string> &words);

// Says what went wrong in a line of standard error and, if that was asked for, as an object
// {"error": {"message": ..., "status": "LLM_ERROR_IO" or null, "exit_status": 3}} on standard output.
void report_error(std::string_view message, const char *status_name, int exit_status);

}  // namespace cli
