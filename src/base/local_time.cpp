#include "base/local_time.h"

#include <ctime>

namespace llm {

LocalTime local_time() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
#if defined(_WIN32)
    std::tm utc{};
    localtime_s(&local, &now);
    gmtime_s(&utc, &now);
    local.tm_isdst = utc.tm_isdst = 0;
    return {now, static_cast<int32_t>(std::mktime(&local) - std::mktime(&utc))};
#else
    localtime_r(&now, &local);
    return {now, static_cast<int32_t>(local.tm_gmtoff)};
#endif
}

}  // namespace llm
