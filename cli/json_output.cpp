// JSON objects in lines, and errors for people and programs.
#include "json_output.h"

#include "color.h"
#include "text_io.h"

#include <charconv>
#include <cmath>

namespace cli {
namespace {

bool errors_are_objects = false;

constexpr int deepest_json = 128;

}  // namespace

std::string json_text(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json parsed_json(const std::string &text) {
    bool is_too_deep = false;
    const auto look = [&](int depth, Json::parse_event_t, const Json &) {
        is_too_deep = is_too_deep || depth > deepest_json;
        return !is_too_deep;  // what is deeper is left out, since others go through values by recursion
    };
    Json json = Json::parse(text, look, false);
    return is_too_deep ? Json(Json::value_t::discarded) : json;
}

void write_json(const Json &object) { write(json_text(object) + "\n"); }

double shortest(double value) {
    if (!std::isfinite(value)) return value;
    char text[32];
    const char *end = std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr;
    double out = 0;
    std::from_chars(text, end, out);
    return out;
}

void set_json_errors() { errors_are_objects = true; }

void set_json_errors_if_asked(const std::vector<std::string> &words) {
    for (const std::string &word : words) {
        if (word == "--") return;
        if (word == "--json" || word == "--jsonl") set_json_errors();
    }
}

void report_error(std::string_view message, const char *status_name, int exit_status) {
    std::string line = styled("llm-cli:", Style::red, 2) + " " + printable_lines(message);
    if (status_name) line += std::string(" (") + status_name + ")";
    note(line);
    if (!errors_are_objects) return;
    const Json status = status_name ? Json(status_name) : Json();
    try {
        const std::string first_line(message.substr(0, message.find('\n')));
        write_json({{"error", {{"message", first_line}, {"status", status}, {"exit_status", exit_status}}}});
    } catch (const std::exception &) {
        // Standard output takes nothing any more, which may be the very error; its line was written above.
    }
}

}  // namespace cli
