// One call of the attention kernel with its cache, and what it must give, in double precision.
#pragma once

#include "kernels/kernel_table.h"
#include "support/guarded_buffer.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

namespace llm::test {

struct AttentionResult {
    std::vector<float> maximum;
    std::vector<float> sum;
    std::vector<float> weighted;  // [row_count][head_length]
};

// A key or value as a page holds it. The scale is that of the element's block, 0 where elements are floats.
struct StoredVector {
    std::vector<float> x;
    std::vector<float> scale;
};
StoredVector load_key(CacheType type, const void *page, uint32_t position, uint32_t head_length);
StoredVector load_value(CacheType type, const void *page, uint32_t position, uint32_t head_length);

// Bounds follow from the roundings of the score, of its exponential and of the sums.
struct ExpectedRow {
    bool empty = true;
    double maximum = 0;
    double maximum_bound = 0;
    std::vector<double> output;  // weighted / sum
    std::vector<double> bound;
};

struct AttentionCase {
    CacheType key_type = CacheType::f16;
    CacheType value_type = CacheType::f16;
    uint32_t head_length = 64;
    uint32_t begin = 0, end = 64;  // of the part
    std::vector<uint32_t> row_begin, row_end;
    float scale = 0.125f;
    float softcap = 0.0f;
    float query_spread = 1.0f;  // standard deviation of the queries
    uint32_t seed = 1;

    uint32_t row_count() const { return static_cast<uint32_t>(row_begin.size()); }
};

// A case with data: positions that no row sees hold NaN, and the pages lie in random order.
class AttentionData {
public:
    explicit AttentionData(const AttentionCase &setup);

    AttentionResult run(const KernelTable &table) const;
    ExpectedRow expected(uint32_t row) const;

    // Overwrites a position of the cache, key and value.
    void store(uint32_t position, float key, float value);

private:
    bool is_seen(uint32_t position) const;
    double score(uint32_t row, uint32_t position, double &bound) const;
    void store_all(uint32_t position, const std::vector<float> &key, const std::vector<float> &value);
    std::vector<double> weight_errors(uint32_t first, const std::vector<double> &weights) const;

    AttentionCase setup_;
    size_t query_stride_;
    std::vector<float> queries_;
    std::vector<StoredVector> keys_, values_;  // by position - begin
    std::vector<std::unique_ptr<GuardedBuffer>> key_pages_, value_pages_;
    std::vector<const void *> key_page_list_, value_page_list_;
};

}  // namespace llm::test
