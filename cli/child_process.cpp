// fork(), and a pipe with one message: what became of the function, and its result.
#include "child_process.h"

#include "api.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace cli {
namespace {

enum class Outcome : char { result = 'r', api_error = 'a', other_error = 'e' };

std::string message(Outcome outcome, const std::string &text) { return char(outcome) + text; }

// Status as bytes, then the text.
std::string message_of(const ApiError &error) {
    const llm_status status = error.status();
    std::string text(reinterpret_cast<const char *>(&status), sizeof status);
    return message(Outcome::api_error, text + error.what());
}

std::string outcome_of(const std::function<std::string()> &function) {
    try {
        return message(Outcome::result, function());
    } catch (const ApiError &error) {
        return message_of(error);
    } catch (const std::exception &error) {
        return message(Outcome::other_error, error.what());
    }
}

void write_all(int descriptor, const std::string &text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) return;  // the parent is gone
        if (count > 0) done += std::size_t(count);
    }
}

std::string read_all(int descriptor) {
    std::string text;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(buffer, std::size_t(count));
    }
}

[[noreturn]] void fail(const char *what) { throw std::runtime_error(std::string(what) + ": " + std::strerror(errno)); }

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail("cannot wait for a process");
    return status;
}

}  // namespace

std::string run_in_child(const std::function<std::string()> &function) {
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) fail("cannot make a pipe");
    const pid_t child = fork();
    if (child < 0) fail("cannot start a process");
    if (child == 0) {
        close(pipe_ends[0]);
        write_all(pipe_ends[1], outcome_of(function));
        _exit(0);
    }
    close(pipe_ends[1]);
    const std::string text = read_all(pipe_ends[0]);
    close(pipe_ends[0]);
    const int status = wait_for(child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) throw ApiError(LLM_CANCELLED, "interrupted");
    if (WIFSIGNALED(status))
        throw std::runtime_error("a process was ended by signal " + std::to_string(WTERMSIG(status)));
    if (text.empty()) throw std::runtime_error("a process ended without a result");
    switch (Outcome(text[0])) {
        case Outcome::result:
            return text.substr(1);
        case Outcome::api_error: {
            llm_status error = LLM_ERROR_INTERNAL;
            std::memcpy(&error, text.data() + 1, sizeof error);
            throw ApiError(error, text.substr(1 + sizeof error));
        }
        default:
            throw std::runtime_error(text.substr(1));
    }
}

}  // namespace cli
