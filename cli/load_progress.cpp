// A bar on the terminal while a model is loaded.
#include "load_progress.h"

#include "interrupt.h"
#include "text_io.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace cli {
namespace {

constexpr std::chrono::milliseconds patience(500);
constexpr std::size_t frame_width = 18;  // "loading [] 100 %" and some room
constexpr std::size_t widest_bar = 50;

std::string bar(float done) {
    const std::size_t room = terminal_width();
    const std::size_t width = std::min(room > frame_width ? room - frame_width : 1, widest_bar);
    const auto full = std::min(static_cast<std::size_t>(done * static_cast<float>(width)), width);
    return "loading [" + std::string(full, '#') + std::string(width - full, ' ') + "] " +
           std::to_string(static_cast<int>(done * 100)) + " %";
}

}  // namespace

std::int32_t show_load_progress(void *, float done) {
    using Clock = std::chrono::steady_clock;
    static Clock::time_point begin, shown;  // one model is loaded at a time
    const Clock::time_point now = Clock::now();
    if (done <= 0 || begin == Clock::time_point()) begin = now;
    const bool is_due = now - begin >= patience && now - shown >= std::chrono::milliseconds(50);
    if (is_due && done < 1) {
        show_status(bar(done));
        shown = now;
    }
    if (done >= 1) begin = {};
    return interrupted() ? 1 : 0;
}

}  // namespace cli
