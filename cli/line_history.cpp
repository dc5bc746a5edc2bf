// The lines of former chats: one in a line of a file.
#include "line_history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_lines = 1000;
constexpr std::uintmax_t longest_file = 1 << 20;  // of which the end is read

bool is_plain(const std::string &line) { return line.find('\0') == line.npos && line.find('\n') == line.npos; }

}  // namespace

std::string LineHistory::default_path() {
    const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
    if (state && *state) return std::string(state) + "/libllm/chat_history";
    return home && *home ? std::string(home) + "/.local/state/libllm/chat_history" : "";
}

std::vector<std::string> LineHistory::load() const {
    std::error_code error;
    const std::uintmax_t size = path_.empty() ? 0 : fs::file_size(path_, error);
    std::vector<std::string> lines;
    if (size == 0 || error) return lines;
    std::ifstream file(path_, std::ios::binary);
    std::string line;
    if (size > longest_file) {
        file.seekg(static_cast<std::streamoff>(size - longest_file));
        std::getline(file, line);  // the end of a line
    }
    while (std::getline(file, line))
        if (!line.empty() && is_plain(line)) lines.push_back(line);
    if (lines.size() > most_lines) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most_lines));
    return lines;
}

void LineHistory::append(const std::string &line) const {
    if (path_.empty() || line.empty() || !is_plain(line)) return;
    std::error_code ignored;  // a chat works without its history
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    const std::string text = line + "\n";
    [[maybe_unused]] const ssize_t written = ::write(file, text.data(), text.size());
    close(file);
}

}  // namespace cli
