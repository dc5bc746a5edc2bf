// What this machine allows: how fast some threads together read memory, and multiply and add small integers. These two
// rates are the roofline of the evaluation of a model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofline {

// Bytes per second that the threads together read, again and again, from a block of `bytes` bytes. Of a block that is
// far larger than the processor's caches only a part is used, so that the rate is that of memory. Throws
// std::bad_alloc.
double read_rate(unsigned threads, std::size_t bytes);

// Products of two int8 numbers that the threads together add to int32 sums in a second, with the instructions that
// are the fastest for it on this processor.
double int8_rate(unsigned threads);

// Reads a block whose size is a multiple of 64; the result depends on all of it.
std::uint64_t read_block(const std::byte *data, std::size_t bytes, std::size_t prefetch_distance = 0);

}  // namespace roofline
