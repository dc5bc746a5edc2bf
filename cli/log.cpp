// The library's log on standard error or in a file.
#include "log.h"

#include "text_io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cli {
namespace {

// Lines come from one thread at a time, but for those of helping threads: a line is one write.
void note_line(void *, llm_log_level, const char *text, std::size_t length) { note({text, length}); }

void write_line(void *file, llm_log_level, const char *text, std::size_t length) {
    std::fprintf(static_cast<std::FILE *>(file), "%.*s\n", static_cast<int>(length), text);
    std::fflush(static_cast<std::FILE *>(file));
}

}  // namespace

void add_log_options(Options &options) {
    options.add_flag("verbose,v", "report what happened, with times, on standard error");
    options.add_value("log-file", "FILE", "append the library's log to this file");
}

void start_log(const Options &options) {
    const auto path = options.value("log-file");
    if (!path) {
        check(llm_log_set(note_line, nullptr, options.has("verbose") ? LLM_LOG_INFO : LLM_LOG_WARNING));
        return;
    }
    std::FILE *file = std::fopen(path->c_str(), "a");  // stays open until the program ends, as the log does
    if (!file) throw std::runtime_error("cannot write " + *path + ": " + std::strerror(errno));
    check(llm_log_set(write_line, file, LLM_LOG_INFO));
}

}  // namespace cli
