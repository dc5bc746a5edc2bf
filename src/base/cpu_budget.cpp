// CPU quotas as described in proc(5), cgroups(7) and the Linux kernel's documents "Control Group v2" (cpu.max) and
// "CFS Bandwidth Control" (cpu.cfs_quota_us). Whatever cannot be read or understood sets no limit.
#include "base/cpu_budget.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace llm {

namespace {

// Files of /proc and cgroupfs have no size beforehand; mountinfo may be long on hosts of many containers.
std::string read_file(const std::string &path) {
    constexpr size_t longest = size_t{16} << 20;
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    std::string text;
    if (file == nullptr) return text;
    char piece[4096];
    while (text.size() < longest) {
        const size_t got = std::fread(piece, 1, sizeof piece, file.get());
        if (got == 0) break;
        text.append(piece, got);
    }
    return text;
}

// Cuts `text` at its first separator and returns what stood before it.
std::string_view take_until(std::string_view &text, char separator) {
    const size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return part;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) parts.push_back(take_until(text, separator));
    return parts;
}

bool list_contains(std::string_view list, char separator, std::string_view word) {
    const std::vector<std::string_view> words = split(list, separator);
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<int64_t> parse_integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || (end != text.data() + text.size() && *end != '\n')) return std::nullopt;
    return value;
}

uint32_t whole_cpus(std::optional<int64_t> quota, std::optional<int64_t> period) {
    if (!quota || !period || *quota <= 0 || *period <= 0) return no_cpu_quota;
    return static_cast<uint32_t>(std::clamp<int64_t>(*quota / *period, 1, no_cpu_quota));
}

// cpu.max holds "quota period" or "max period", both in microseconds.
uint32_t quota_v2(const std::string &folder) {
    const std::string text = read_file(folder + "/cpu.max");
    std::string_view rest = text;
    const std::string_view quota = take_until(rest, ' ');
    return whole_cpus(parse_integer(quota), parse_integer(rest));
}

// A quota of -1 means none.
uint32_t quota_v1(const std::string &folder) {
    return whole_cpus(parse_integer(read_file(folder + "/cpu.cfs_quota_us")),
                      parse_integer(read_file(folder + "/cpu.cfs_period_us")));
}

// The group of this process in the hierarchy of version 2, or in that of version 1 that has the controller "cpu".
// Lines are "number:controllers:path"; version 2 has no controllers.
std::optional<std::string> group_path(std::string_view cgroup_text, bool version_2) {
    for (std::string_view line : split(cgroup_text, '\n')) {
        take_until(line, ':');
        const std::string_view controllers = take_until(line, ':');
        if (version_2 ? controllers.empty() : list_contains(controllers, ',', "cpu")) return std::string(line);
    }
    return std::nullopt;
}

// mountinfo writes blanks in paths as backslash and three octal digits.
std::string unescape(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        if (text[i] == '\\' && i + 4 <= text.size() &&
            std::from_chars(&text[i + 1], &text[i] + 4, byte, 8).ptr == &text[i] + 4) {
            out.push_back(static_cast<char>(byte));
            i += 3;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

struct Mount {
    std::string top;    // folder of the hierarchy that is mounted
    std::string point;  // where
    bool version_2 = false;
};

// Lines are "number parent device top point options [optional...] - type source options".
std::optional<Mount> parse_mount(std::string_view line) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) return std::nullopt;
    const std::string_view type = dash[1];
    const bool version_2 = type == "cgroup2";
    if (!version_2 && !(type == "cgroup" && list_contains(dash[3], ',', "cpu"))) return std::nullopt;
    return Mount{unescape(fields[3]), unescape(fields[4]), version_2};
}

// `path` below `top` ("" for top itself), or nothing when it lies elsewhere. Paths with ".." lead out of the cgroup
// namespace; what stands there cannot be seen.
std::optional<std::string> path_below(const std::string &path, const std::string &top) {
    if (list_contains(path, '/', "..") || list_contains(top, '/', "..")) return std::nullopt;
    const std::string prefix = top == "/" ? "" : top;
    if (!path.starts_with(prefix)) return std::nullopt;
    std::string below = path.substr(prefix.size());
    if (!below.empty() && below[0] != '/') return std::nullopt;
    while (below.ends_with('/')) below.pop_back();
    return below;
}

uint32_t quota_of_mount(const Mount &mount, const std::string &path, const std::string &root) {
    std::optional<std::string> below = path_below(path, mount.top);
    if (!below) return no_cpu_quota;
    uint32_t cpus = no_cpu_quota;
    for (;;) {
        const std::string folder = root + mount.point + *below;
        cpus = std::min(cpus, mount.version_2 ? quota_v2(folder) : quota_v1(folder));
        if (below->empty()) return cpus;
        below->resize(below->rfind('/'));
    }
}

}  // namespace

uint32_t quota_cpu_count(const std::string &root) {
    const std::string groups = read_file(root + "/proc/self/cgroup");
    const std::string mounts = read_file(root + "/proc/self/mountinfo");
    uint32_t cpus = no_cpu_quota;
    for (const std::string_view line : split(mounts, '\n')) {
        const std::optional<Mount> mount = parse_mount(line);
        if (!mount) continue;
        const std::optional<std::string> path = group_path(groups, mount->version_2);
        if (path) cpus = std::min(cpus, quota_of_mount(*mount, *path, root));
    }
    return cpus;
}

uint32_t affinity_cpu_count() {
#ifdef __linux__
    // The kernel refuses a mask that is too short for the machine; its length is not told.
    constexpr size_t most_cpus = size_t{1} << 20;
    for (size_t cpus = CPU_SETSIZE; cpus <= most_cpus; cpus *= 2) {
        std::vector<unsigned char> bytes(CPU_ALLOC_SIZE(cpus));
        cpu_set_t *mask = reinterpret_cast<cpu_set_t *>(bytes.data());
        if (sched_getaffinity(0, bytes.size(), mask) == 0)
            return static_cast<uint32_t>(std::max(1, CPU_COUNT_S(bytes.size(), mask)));
    }
#endif
    return std::max(1u, std::thread::hardware_concurrency());
}

uint32_t default_thread_count() { return std::min(affinity_cpu_count(), quota_cpu_count("")); }

}  // namespace llm
