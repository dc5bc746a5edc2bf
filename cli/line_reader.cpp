// Lines as the terminal or a pipe gives them.
#include "line_reader.h"

#include "interrupt.h"
#include "text_io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace cli {
namespace {

class PlainReader : public LineReader {
public:
    explicit PlainReader(bool is_interactive) : is_interactive_(is_interactive) {}

    LineEnd read(std::string &line, const std::string &prompt) override {
        line.clear();
        if (is_interactive_) {
            catch_interrupts(true);
            std::fputs(prompt.c_str(), stderr);
        }
        for (int c; (c = std::getc(stdin)) != '\n';) {
            if (c == EOF) return end_of_input(line);
            line += static_cast<char>(c);
        }
        return LineEnd::line;
    }

private:
    // The last line of a file may lack its newline.
    static LineEnd end_of_input(const std::string &line) {
        if (std::ferror(stdin)) {
            const int reason = errno;
            std::clearerr(stdin);
            if (reason == EINTR && interrupted()) return LineEnd::interrupted;
            throw std::runtime_error(std::string("cannot read standard input: ") + std::strerror(reason));
        }
        return line.empty() ? LineEnd::end : LineEnd::line;
    }

    bool is_interactive_;
};

}  // namespace

std::unique_ptr<LineReader> make_line_reader() {
    const bool is_interactive = stdin_is_terminal() && stderr_is_terminal();
    if (is_interactive)
        if (auto reader = make_editing_reader()) return reader;
    return std::make_unique<PlainReader>(is_interactive);
}

#ifndef LLM_CLI_HAS_LIBEDIT
std::unique_ptr<LineReader> make_editing_reader() { return nullptr; }
#endif

}  // namespace cli
