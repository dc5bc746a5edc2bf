// Ways to evaluate one text that have to give the same bits: threads, calls, batches, kernel tiers, cache types.
#pragma once

#include "engine/context.h"

#include <oneapi/tbb/global_control.h>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <vector>

namespace llm::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

inline constexpr uint32_t thread_counts[] = {1, 2, 3, 8};
inline constexpr uint32_t batch_sizes[] = {1, 2, 3, 7, 8, 31, 32, 33, 64, 512};

// As many real threads as the largest team wants, on a machine with fewer CPUs, too.
struct EnoughThreads {
    tbb::global_control control{tbb::global_control::max_allowed_parallelism, 8};
};

// With these kernels; nullptr: those that the process uses.
std::shared_ptr<const Model> open_model(std::unique_ptr<ByteSource> source, const KernelTable *kernels,
                                        LoadMode load = LoadMode::packed);

std::vector<llm_token> random_text(uint32_t vocabulary_size, size_t count);

struct Way {
    uint32_t threads = 1;
    uint32_t batch_size = 512;         // into which the context cuts a call
    std::vector<uint32_t> calls = {};  // numbers of tokens of the calls, over and over; empty: one call
    CacheType keys = CacheType::f16, values = CacheType::f16;
    size_t token_count = SIZE_MAX;  // tokens at the start of the text that are evaluated
    bool keeps_all = false;         // positions, in layers with a window, too
};
std::ostream &operator<<(std::ostream &out, const Way &way);

// Of a row's bits; any single changed logit changes it.
uint64_t row_hash(std::span<const float> row);

// For each evaluated token the hash of its logits.
std::vector<uint64_t> row_hashes(const std::shared_ptr<const Model> &model, std::span<const llm_token> text,
                                 const Way &way);

// Checks that the way gives the first of the expected hashes, and at least one.
void check_way(const std::shared_ptr<const Model> &model, std::span<const llm_token> text, const Way &way,
               std::span<const uint64_t> expected);

}  // namespace llm::test
