// Ctrl-C: a signal handler that does nothing but what signal handlers may do.
#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace cli {
namespace {

std::atomic<bool> interrupt_seen = false;
std::atomic<llm_context *> cancelled_context = nullptr;
static_assert(std::atomic<llm_context *>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
    interrupt_seen = true;
    if (llm_context *context = cancelled_context) llm_cancel(context);
}

}  // namespace

void catch_interrupts(bool wakes_reader) {
    interrupt_seen = false;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | (wakes_reader ? 0 : SA_RESTART));
    sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_seen; }

CancelOnInterrupt::CancelOnInterrupt(llm_context *context) {
    cancelled_context = context;
    if (interrupted()) llm_cancel(context);
}

CancelOnInterrupt::~CancelOnInterrupt() { cancelled_context = nullptr; }

}  // namespace cli
