// Text in and out: the answer goes to standard output, everything else to standard error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cli {

// Standard output was closed by its reader.
class ClosedPipe : public std::exception {};

// Writes to standard output and flushes. Throws ClosedPipe, or std::runtime_error with the system's reason.
void write(std::string_view text);

// Writes one line to standard error.
void note(std::string_view line);

// Shows on standard error, if that is a terminal, what is being done; the next text takes its place, an empty one none.
void show_status(std::string_view text);

std::string read_file(const std::string &path);
std::string read_stdin();
bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();

// Columns of the terminal, 80 if there is none.
std::size_t terminal_width();
// A comfortable width for text that people read.
std::size_t help_width();

// Text from a file as it may be shown on a terminal: control characters are escaped.
std::string printable(std::string_view text);

// The same, but line ends stay as they are.
std::string printable_lines(std::string_view text);
// For standard output: as printable_lines() gives it on a terminal, elsewhere unchanged.
std::string shown(std::string_view text);

}  // namespace cli
