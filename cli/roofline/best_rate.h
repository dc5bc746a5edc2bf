// How fast some threads together do something over and over.
#pragma once

#include <functional>

namespace roofline {

// Calls step(thread), which returns how much it has done, on each of the threads for a round of fixed time; the best of
// some rounds, since others may use the machine as well. In units per second.
double best_rate(unsigned threads, const std::function<double(unsigned)> &step);

}  // namespace roofline
