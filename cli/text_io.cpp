// Text in and out through C streams, so that bytes pass unchanged.
#include "text_io.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace cli {
namespace {

std::string read_all(std::FILE *file, const std::string &name) {
    std::string text;
    char buffer[1 << 16];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
    if (std::ferror(file)) throw std::runtime_error("cannot read " + name + ": " + std::strerror(errno));
    return text;
}

bool is_control(std::string_view text, std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte >= 0x80 && byte < 0xA0 && i > 0 && text[i - 1] == '\xC2';  // U+0080 to U+009F
    return byte < 0x20 || byte == 0x7F || c1;
}

}  // namespace

void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
    if (errno == EPIPE) throw ClosedPipe();
    throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

void note(std::string_view line) { std::fprintf(stderr, "%.*s\n", int(line.size()), line.data()); }

void show_status(std::string_view text) {
    static const bool is_terminal = isatty(STDERR_FILENO) != 0;
    static bool shown = false;
    if (!is_terminal || (text.empty() && !shown)) return;
    std::fprintf(stderr, "\r\033[K%.*s", int(text.size()), text.data());  // to column 1, erase the line
    shown = !text.empty();
}

std::string read_file(const std::string &path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
    return read_all(file.get(), path);
}

std::string read_stdin() { return read_all(stdin, "standard input"); }

bool stdin_is_terminal() { return isatty(STDIN_FILENO) != 0; }

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

std::size_t terminal_width() {
    winsize size{};
    for (const int descriptor : {STDERR_FILENO, STDOUT_FILENO})
        if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::size_t help_width() { return stdout_is_terminal() ? std::clamp<std::size_t>(terminal_width(), 40, 100) : 100; }

std::string printable(std::string_view text) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (is_control(text, i))
            out += {'\\', 'x', digits[(c >> 4) & 15], digits[c & 15]};
        else
            out += c;
    }
    return out;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (begin > 0) out += '\n';
        out += printable(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

std::string shown(std::string_view text) { return stdout_is_terminal() ? printable_lines(text) : std::string(text); }

}  // namespace cli
