// Instruction-set extensions of the processor that the operating system lets programs use.
#pragma once

#include <string>

namespace llm {

// A flag is set only if both processor and operating system support the extension. All false on other than x86.
struct CpuFeatures {
    bool avx;
    bool f16c;
    bool fma;
    bool avx2;
    bool bmi1;
    bool bmi2;
    bool avx_vnni;
    bool avx512f;
    bool avx512bw;
    bool avx512cd;
    bool avx512dq;
    bool avx512vl;
    bool avx512vbmi;
    bool avx512vnni;
    bool avx512bf16;
};

// Detected at the first call.
const CpuFeatures &cpu_features();

// Names of the flags that are set, with one space between them: "avx f16c fma avx2".
std::string feature_names(const CpuFeatures &features);

}  // namespace llm
