// The thread budget: quotas in made-up /proc and cgroup trees, and the affinity mask.
#include "base/cpu_budget.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

namespace {

// A root folder that is removed afterwards.
class Tree {
public:
    Tree() {
        static int number = 0;
        root_ = std::filesystem::temp_directory_path() /
                ("llm-cpu-budget-" + std::to_string(getpid()) + "-" + std::to_string(number++));
    }
    ~Tree() { std::filesystem::remove_all(root_); }

    Tree &file(const std::string &name, const std::string &text) {
        const std::filesystem::path path = root_.string() + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return *this;
    }

    uint32_t cpus() const { return llm::quota_cpu_count(root_.string()); }

private:
    std::filesystem::path root_;
};

const std::string v2_mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mount = "33 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n";

}  // namespace

BOOST_AUTO_TEST_CASE(no_quota_without_cgroups) {
    BOOST_TEST(Tree().cpus() == llm::no_cpu_quota);
    BOOST_TEST(Tree().file("/proc/self/cgroup", "0::/a\n").cpus() == llm::no_cpu_quota);
    BOOST_TEST(Tree().file("/proc/self/mountinfo", v2_mount).cpus() == llm::no_cpu_quota);
}

BOOST_AUTO_TEST_CASE(quota_of_version_2_is_rounded_down) {
    const auto cpus = [](const std::string &limit) {
        return Tree()
            .file("/proc/self/cgroup", "0::/job\n")
            .file("/proc/self/mountinfo", v2_mount)
            .file("/sys/fs/cgroup/job/cpu.max", limit)
            .cpus();
    };
    BOOST_TEST(cpus("max 100000\n") == llm::no_cpu_quota);
    BOOST_TEST(cpus("400000 100000\n") == 4u);
    BOOST_TEST(cpus("399999 100000\n") == 3u);
    BOOST_TEST(cpus("100000 100000\n") == 1u);
    BOOST_TEST(cpus("50000 100000\n") == 1u);
    BOOST_TEST(cpus("1000 1000000\n") == 1u);
    BOOST_TEST(cpus("20000 10000\n") == 2u);
}

BOOST_AUTO_TEST_CASE(quota_that_makes_no_sense_is_none) {
    for (const char *limit : {"", "\n", "100000", "0 100000\n", "-5 100000\n", "100000 0\n", "x 100000\n",
                              "9999999999999999999999 100000\n", "200000 100000x\n"}) {
        Tree tree;
        tree.file("/proc/self/cgroup", "0::/job\n").file("/proc/self/mountinfo", v2_mount);
        tree.file("/sys/fs/cgroup/job/cpu.max", limit);
        BOOST_TEST(tree.cpus() == llm::no_cpu_quota, "'" << limit << "' gave " << tree.cpus());
    }
}

BOOST_AUTO_TEST_CASE(tightest_quota_of_the_ancestors_holds) {
    Tree tree;
    tree.file("/proc/self/cgroup", "0::/pod/box/job\n").file("/proc/self/mountinfo", v2_mount);
    tree.file("/sys/fs/cgroup/pod/box/job/cpu.max", "800000 100000\n");
    BOOST_TEST(tree.cpus() == 8u);
    tree.file("/sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
    BOOST_TEST(tree.cpus() == 3u);
    tree.file("/sys/fs/cgroup/pod/box/cpu.max", "600000 100000\n");
    BOOST_TEST(tree.cpus() == 3u);
    tree.file("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    BOOST_TEST(tree.cpus() == 2u);
    tree.file("/sys/fs/cgroup/other/cpu.max", "100000 100000\n");
    BOOST_TEST(tree.cpus() == 2u);
}

BOOST_AUTO_TEST_CASE(quota_of_version_1) {
    Tree tree;
    tree.file("/proc/self/cgroup", "9:name=systemd:/x\n5:cpuset:/wrong\n4:cpuacct,cpu:/job/inner\n0::/\n");
    tree.file("/proc/self/mountinfo", v1_mount);
    const std::string folder = "/sys/fs/cgroup/cpu,cpuacct";
    tree.file(folder + "/job/inner/cpu.cfs_quota_us", "-1\n");
    tree.file(folder + "/job/inner/cpu.cfs_period_us", "100000\n");
    BOOST_TEST(tree.cpus() == llm::no_cpu_quota);
    tree.file(folder + "/job/cpu.cfs_quota_us", "250000\n").file(folder + "/job/cpu.cfs_period_us", "50000\n");
    BOOST_TEST(tree.cpus() == 5u);
    tree.file(folder + "/job/inner/cpu.cfs_quota_us", "170000\n");
    BOOST_TEST(tree.cpus() == 1u);
    tree.file(folder + "/wrong/cpu.cfs_quota_us", "1\n").file(folder + "/wrong/cpu.cfs_period_us", "1\n");
    BOOST_TEST(tree.cpus() == 1u);
}

// Without a cgroup namespace the path is the host's, and the mount shows only the part below the container.
BOOST_AUTO_TEST_CASE(mount_of_a_part_of_the_hierarchy) {
    Tree tree;
    tree.file("/proc/self/cgroup", "4:cpu:/docker/abc/job\n");
    tree.file("/proc/self/mountinfo", "33 31 0:29 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    tree.file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
    tree.file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    BOOST_TEST(tree.cpus() == 2u);
    tree.file("/proc/self/cgroup", "4:cpu:/docker/abcdef\n");
    BOOST_TEST(tree.cpus() == llm::no_cpu_quota);
    tree.file("/proc/self/cgroup", "4:cpu:/../other\n");
    BOOST_TEST(tree.cpus() == llm::no_cpu_quota);
}

BOOST_AUTO_TEST_CASE(both_versions_count) {
    Tree tree;
    tree.file("/proc/self/cgroup", "4:cpu:/one\n0::/two\n").file("/proc/self/mountinfo", v1_mount + v2_mount);
    tree.file("/sys/fs/cgroup/two/cpu.max", "700000 100000\n");
    BOOST_TEST(tree.cpus() == 7u);
    tree.file("/sys/fs/cgroup/cpu,cpuacct/one/cpu.cfs_quota_us", "600000\n");
    tree.file("/sys/fs/cgroup/cpu,cpuacct/one/cpu.cfs_period_us", "100000\n");
    BOOST_TEST(tree.cpus() == 6u);
}

BOOST_AUTO_TEST_CASE(names_with_blanks_and_colons) {
    Tree tree;
    tree.file("/proc/self/cgroup", "0::/a:b c\n");
    tree.file(
        "/proc/self/mountinfo",
        "short line\n- - - - - -\n1 2 0:3 / /my\\040groups rw a b - cgroup2 cgroup2 rw\n1 2 0:3 / / rw - ext4 x rw\n");
    tree.file("/my groups/a:b c/cpu.max", "300000 100000\n");
    BOOST_TEST(tree.cpus() == 3u);
}

BOOST_AUTO_TEST_CASE(default_is_within_machine_and_quota) {
    BOOST_TEST(llm::default_thread_count() >= 1u);
    BOOST_TEST(llm::default_thread_count() <= llm::affinity_cpu_count());
    BOOST_TEST(llm::default_thread_count() <= llm::quota_cpu_count(""));
}

#ifdef __linux__
BOOST_AUTO_TEST_CASE(affinity_mask_counts) {
    uint32_t cpus = 0;
    uint32_t threads = 0;
    std::thread([&] {
        cpu_set_t mask;
        CPU_ZERO(&mask);
        CPU_SET(sched_getcpu(), &mask);
        sched_setaffinity(0, sizeof mask, &mask);
        cpus = llm::affinity_cpu_count();
        threads = llm::default_thread_count();
    }).join();
    BOOST_TEST(cpus == 1u);
    BOOST_TEST(threads == 1u);
}
#endif
