// Rounds of a fixed time: they take as long on a slow machine as on a fast one.
#include "best_rate.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <vector>

namespace roofline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 5;
constexpr std::chrono::milliseconds round_time(25);

double work_until(Clock::time_point end, unsigned thread, const std::function<double(unsigned)> &step) {
    double done = 0;
    do done += step(thread);
    while (Clock::now() < end);
    return done;
}

double rate_of_round(unsigned threads, const std::function<double(unsigned)> &step) {
    const auto begin = Clock::now();
    const auto end = begin + round_time;
    std::vector<std::future<double>> others;
    for (unsigned thread = 1; thread < threads; thread++)
        others.push_back(std::async(std::launch::async, work_until, end, thread, std::cref(step)));
    double done = work_until(end, 0, step);
    for (std::future<double> &other : others) done += other.get();
    return done / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

double best_rate(unsigned threads, const std::function<double(unsigned)> &step) {
    double best = 0;
    for (int round = 0; round < rounds; round++) best = std::max(best, rate_of_round(threads, step));
    return best;
}

}  // namespace roofline
