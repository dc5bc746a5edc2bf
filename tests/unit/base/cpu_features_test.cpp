// CPU features against the kernel's own list.
#include "base/cpu_features.h"

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <memory>
#include <string>

namespace {

// The words of the line "flags" of /proc/cpuinfo, with a blank on both sides; empty where there is none.
std::string kernel_flags() {
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen("/proc/cpuinfo", "r"), std::fclose);
    char line[16384];
    while (file != nullptr && std::fgets(line, sizeof line, file.get()) != nullptr) {
        std::string text = line;
        if (!text.starts_with("flags")) continue;
        text.back() = ' ';
        return text.substr(text.find(':') + 1);
    }
    return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(features_are_those_that_the_kernel_lists) {
    const std::string flags = kernel_flags();
    if (flags.empty()) {
        std::printf("SKIPPED: no flags in /proc/cpuinfo\n");
        return;
    }
    const auto listed = [&](const char *name) { return flags.find(std::string(" ") + name + " ") != flags.npos; };
    const llm::CpuFeatures &cpu = llm::cpu_features();
    BOOST_TEST(cpu.avx == listed("avx"));
    BOOST_TEST(cpu.f16c == listed("f16c"));
    BOOST_TEST(cpu.fma == listed("fma"));
    BOOST_TEST(cpu.avx2 == listed("avx2"));
    BOOST_TEST(cpu.bmi1 == listed("bmi1"));
    BOOST_TEST(cpu.bmi2 == listed("bmi2"));
    BOOST_TEST(cpu.avx_vnni == listed("avx_vnni"));
    BOOST_TEST(cpu.avx512f == listed("avx512f"));
    BOOST_TEST(cpu.avx512bw == listed("avx512bw"));
    BOOST_TEST(cpu.avx512cd == listed("avx512cd"));
    BOOST_TEST(cpu.avx512dq == listed("avx512dq"));
    BOOST_TEST(cpu.avx512vl == listed("avx512vl"));
    BOOST_TEST(cpu.avx512vbmi == listed("avx512vbmi"));
    BOOST_TEST(cpu.avx512vnni == listed("avx512_vnni"));
    BOOST_TEST(cpu.avx512bf16 == listed("avx512_bf16"));
}

BOOST_AUTO_TEST_CASE(features_as_text) {
    llm::CpuFeatures features = {};
    BOOST_TEST(llm::feature_names(features) == "");
    features.avx2 = true;
    BOOST_TEST(llm::feature_names(features) == "avx2");
    features.fma = true;
    features.avx512bf16 = true;
    BOOST_TEST(llm::feature_names(features) == "fma avx2 avx512bf16");
}
