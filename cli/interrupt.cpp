// Ctrl-C: a signal handler that does nothing but what signal handlers may do.
#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

namespace cli {
namespace {

std::atomic<bool> interrupt_seen = false;
std::atomic<llm_context *> cancelled_context = nullptr;
static_assert(std::atomic<llm_context *>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// A pipe that the handler writes to: it ends a wait wherever in the program, and on whichever thread, the signal came.
struct Wake {
    int reads = -1, writes = -1;

    Wake() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
            throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
        reads = ends[0];
        writes = ends[1];
    }
    void clear() const {
        char bytes[64];
        while (read(reads, bytes, sizeof bytes) > 0) continue;
    }
};

const Wake &wake() {
    static const Wake instance;
    return instance;
}

std::atomic<int> wake_writes = -1;

void on_interrupt(int) {
    const int reason = errno;
    interrupt_seen = true;
    if (write(wake_writes, "", 1) < 0) errno = reason;  // full: it ends a wait anyway
    if (llm_context *context = cancelled_context) llm_cancel(context);
}

}  // namespace

void catch_interrupts() {
    wake_writes = wake().writes;
    wake().clear();
    interrupt_seen = false;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_seen; }

bool wait_for_input() {
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0}, {wake().reads, POLLIN, 0}};
    while (!interrupted() && files[0].revents == 0)
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            throw std::runtime_error(std::string("cannot wait for standard input: ") + std::strerror(errno));
    return !interrupted();
}

CancelOnInterrupt::CancelOnInterrupt(llm_context *context) {
    cancelled_context = context;
    if (interrupted()) llm_cancel(context);
}

CancelOnInterrupt::~CancelOnInterrupt() { cancelled_context = nullptr; }

}  // namespace cli
