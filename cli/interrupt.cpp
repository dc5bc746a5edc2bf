// Ctrl-C: a signal handler that does nothing but what signal handlers may do.
#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace cli {
namespace {

std::atomic<bool> interrupt_seen = false;
std::atomic<llm_context *> cancelled_context = nullptr;
static_assert(std::atomic<llm_context *>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void on_interrupt(int signal) {
    std::signal(signal, SIG_DFL);
    interrupt_seen = true;
    if (llm_context *context = cancelled_context) llm_cancel(context);
}

}  // namespace

void catch_interrupts() { std::signal(SIGINT, on_interrupt); }

bool interrupted() { return interrupt_seen; }

CancelOnInterrupt::CancelOnInterrupt(llm_context *context) {
    cancelled_context = context;
    if (interrupted()) llm_cancel(context);
}

CancelOnInterrupt::~CancelOnInterrupt() { cancelled_context = nullptr; }

}  // namespace cli
