// Lines as the terminal or a pipe gives them.
#include "line_reader.h"

#include "interrupt.h"
#include "text_io.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace cli {
namespace {

class PlainReader : public LineReader {
public:
    explicit PlainReader(bool is_interactive) : is_interactive_(is_interactive) {}

    LineEnd read(std::string &line, const std::string &prompt) override {
        if (is_interactive_) {
            catch_interrupts();
            std::fputs(prompt.c_str(), stderr);
        }
        for (std::size_t looked = 0;;) {
            if (const std::size_t end = waiting_.find('\n', looked); end != waiting_.npos) {
                line.assign(waiting_, 0, end);
                waiting_.erase(0, end + 1);
                return LineEnd::line;
            }
            looked = waiting_.size();
            if (is_interactive_ && !wait_for_input()) {
                waiting_.clear();
                return LineEnd::interrupted;
            }
            if (!read_more()) break;
        }
        line = std::exchange(waiting_, "");  // the last line of a file may lack its newline
        return line.empty() ? LineEnd::end : LineEnd::line;
    }

private:
    // False at the end of the input.
    bool read_more() {
        char bytes[4096];
        ssize_t count;
        do count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        while (count < 0 && errno == EINTR);
        if (count < 0) throw std::runtime_error(std::string("cannot read standard input: ") + std::strerror(errno));
        waiting_.append(bytes, static_cast<std::size_t>(count));
        return count > 0;
    }

    bool is_interactive_;
    std::string waiting_;  // that was read, but not given yet
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
