// Lines that a user types: with editing and history on a terminal, plain from anything else.
#pragma once

#include <memory>
#include <string>

namespace cli {

enum class LineEnd {
    line,         // a whole line was read
    interrupted,  // Ctrl-C; what was typed is gone
    end           // Ctrl-D, or the end of the input
};

class LineReader {
public:
    virtual ~LineReader() = default;
    // Reads a line, without its newline. The prompt is shown only on a terminal.
    virtual LineEnd read(std::string &line, const std::string &prompt) = 0;
    // Puts a line among those that the arrow keys bring back.
    virtual void remember(const std::string &) {}
};

// Reads from standard input; prompts and echo go to standard error.
std::unique_ptr<LineReader> make_line_reader();

// The reader with editing; nullptr when this build has none, or the terminal is not fit for it.
std::unique_ptr<LineReader> make_editing_reader();

}  // namespace cli
