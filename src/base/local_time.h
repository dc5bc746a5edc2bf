// The system's clock.
#pragma once

#include <cstdint>

namespace llm {

struct LocalTime {
    int64_t now;         // seconds since 1970 in UTC
    int32_t utc_offset;  // seconds that the process's time zone is ahead of UTC
};

LocalTime local_time();

}  // namespace llm
