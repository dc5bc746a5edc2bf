// How many threads this process should compute with.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace llm {

inline constexpr uint32_t no_cpu_quota = std::numeric_limits<uint32_t>::max();

// The default number of threads: as many CPUs as affinity mask and container quota both grant, at least 1.
uint32_t default_thread_count();

// CPUs on which the calling thread may run.
uint32_t affinity_cpu_count();

// Whole CPUs that the tightest quota grants, among the cgroups (versions 1 and 2) of this process and their ancestors:
// at least 1, or no_cpu_quota. `root` stands before /proc and before the mount points; "" but in tests.
uint32_t quota_cpu_count(const std::string &root);

}  // namespace llm
