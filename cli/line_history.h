// The lines of former chats, in a file.
#pragma once

#include <string>
#include <vector>

namespace cli {

class LineHistory {
public:
    // Without a path nothing is kept.
    explicit LineHistory(std::string path) : path_(std::move(path)) {}

    // Where it is kept if nobody says otherwise: in XDG_STATE_HOME, or ~/.local/state; "" where there is no home.
    static std::string default_path();

    // The latest lines, the oldest first. A file that cannot be read has none.
    std::vector<std::string> load() const;
    // Appends a line, so that chats that run at the same time lose nothing. The file is for its owner only.
    void append(const std::string &line) const;

private:
    std::string path_;
};

}  // namespace cli
