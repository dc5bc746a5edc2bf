#include "kernels/attention_case.h"

#include "base/half.h"
#include "kernels/guarded.h"

#include <boost/test/test_tools.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace llm::test {

namespace {

constexpr double unit = 0x1p-24;  // the relative error of one rounding

uint32_t index(CacheType type) { return static_cast<uint32_t>(type); }

float as_stored(CacheType type, float x) { return type == CacheType::f16 ? half_to_float(float_to_half(x)) : x; }

// Pages full of NaN, each ending where memory ends, and pointers to them that do not follow their order in memory.
std::vector<const void *> make_pages(std::vector<std::unique_ptr<GuardedBuffer>> &pages, uint32_t count, CacheType type,
                                     uint32_t head_length, std::mt19937 &random) {
    const size_t element_bytes = type == CacheType::f16 ? 2 : 4;
    const size_t page_bytes = element_bytes * head_length * page_positions;
    std::vector<const void *> list;
    for (uint32_t i = 0; i < count; ++i) {
        pages.push_back(std::make_unique<GuardedBuffer>(page_bytes, element_bytes));
        std::fill_n(pages.back()->data<uint8_t>(), page_bytes, uint8_t{0xff});
        list.push_back(pages.back()->data());
    }
    std::shuffle(list.begin(), list.end(), random);
    return list;
}

}  // namespace

AttentionData::AttentionData(const AttentionCase &setup)
    : setup_(setup), query_stride_(setup.head_length + setup.seed % 3) {
    std::mt19937 random(setup.seed);
    std::normal_distribution<float> normal;
    const uint32_t page_count = (setup.end - setup.begin + page_positions - 1) / page_positions;
    key_page_list_ = make_pages(key_pages_, page_count, setup.key_type, setup.head_length, random);
    value_page_list_ = make_pages(value_pages_, page_count, setup.value_type, setup.head_length, random);
    queries_.resize(query_stride_ * setup.row_count());
    for (float &q : queries_) q = normal(random) * setup.query_spread;
    const KernelTable &scalar = *kernel_table("scalar");
    const size_t positions = setup.end - setup.begin;
    keys_.assign(positions, std::vector<float>(setup.head_length));
    values_ = keys_;
    for (size_t i = 0; i < positions; ++i) {
        for (float &k : keys_[i]) k = as_stored(setup.key_type, normal(random));
        for (float &v : values_[i]) v = as_stored(setup.value_type, normal(random));
        const auto position = static_cast<uint32_t>(setup.begin + i);
        if (!is_seen(position)) continue;
        scalar.store_key[index(setup.key_type)](const_cast<void *>(key_page_list_[i / page_positions]), position,
                                                keys_[i].data(), setup.head_length);
        scalar.store_value[index(setup.value_type)](const_cast<void *>(value_page_list_[i / page_positions]), position,
                                                    values_[i].data(), setup.head_length);
    }
}

bool AttentionData::is_seen(uint32_t position) const {
    for (uint32_t row = 0; row < setup_.row_count(); ++row)
        if (position >= setup_.row_begin[row] && position < setup_.row_end[row]) return true;
    return false;
}

void AttentionData::store(uint32_t position, float key, float value) {
    const size_t i = position - setup_.begin;
    std::fill(keys_[i].begin(), keys_[i].end(), key);
    std::fill(values_[i].begin(), values_[i].end(), value);
    const KernelTable &scalar = *kernel_table("scalar");
    scalar.store_key[index(setup_.key_type)](const_cast<void *>(key_page_list_[i / page_positions]), position,
                                             keys_[i].data(), setup_.head_length);
    scalar.store_value[index(setup_.value_type)](const_cast<void *>(value_page_list_[i / page_positions]), position,
                                                 values_[i].data(), setup_.head_length);
}

AttentionResult AttentionData::run(const KernelTable &table) const {
    const uint32_t rows = setup_.row_count();
    Guarded<float> maximum(rows, Place::page_end), sum(rows, Place::page_end);
    Guarded<float> weighted(size_t{rows} * setup_.head_length, Place::page_end);
    Guarded<float> scratch(table.attention_scratch_floats(rows, setup_.head_length), Place::line);
    Guarded<float> query(std::vector<float>(queries_.begin(), queries_.end() - (query_stride_ - setup_.head_length)),
                         Place::page_end);
    AttentionArgs args = {};
    args.query = query.data();
    args.query_stride = query_stride_;
    args.row_count = rows;
    args.head_length = setup_.head_length;
    args.row_begin = setup_.row_begin.data();
    args.row_end = setup_.row_end.data();
    args.begin = setup_.begin;
    args.end = setup_.end;
    args.key_pages = key_page_list_.data();
    args.value_pages = value_page_list_.data();
    args.scale = setup_.scale;
    args.softcap = setup_.softcap;
    args.maximum = maximum.data();
    args.sum = sum.data();
    args.weighted = weighted.data();
    args.scratch = scratch.data();
    table.attention[index(setup_.key_type)][index(setup_.value_type)](args);
    BOOST_REQUIRE(maximum.intact() && sum.intact() && weighted.intact() && scratch.intact() && query.intact());
    return {maximum.values(), sum.values(), weighted.values()};
}

double AttentionData::score(uint32_t row, uint32_t position, double &bound) const {
    const float *query = queries_.data() + row * query_stride_;
    const std::vector<float> &key = keys_[position - setup_.begin];
    double sum = 0, magnitude = 0;
    for (uint32_t d = 0; d < setup_.head_length; ++d) {
        sum += double{query[d]} * key[d];
        magnitude += std::fabs(double{query[d]} * key[d]);
    }
    bound = (setup_.head_length + 2) * unit * magnitude * std::fabs(setup_.scale);
    sum *= setup_.scale;
    if (setup_.softcap == 0.0f) return sum;
    bound += 6 * unit * std::fabs(sum);
    return setup_.softcap * std::tanh(sum / setup_.softcap);
}

ExpectedRow AttentionData::expected(uint32_t row) const {
    ExpectedRow result;
    const uint32_t first = std::max(setup_.row_begin[row], setup_.begin);
    const uint32_t last = std::min(setup_.row_end[row], setup_.end);
    if (first >= last) return result;
    result.empty = false;
    std::vector<double> scores;
    for (uint32_t p = first; p < last; ++p) {
        double bound;
        scores.push_back(score(row, p, bound));
        result.maximum_bound = std::max(result.maximum_bound, bound);
    }
    result.maximum = *std::max_element(scores.begin(), scores.end());
    const double least = *std::min_element(scores.begin(), scores.end());
    double sum = 0;
    std::vector<double> output(setup_.head_length), magnitude(setup_.head_length);
    for (uint32_t p = first; p < last; ++p) {
        const double weight = std::exp(scores[p - first] - result.maximum);
        sum += weight;
        for (uint32_t d = 0; d < setup_.head_length; ++d) {
            output[d] += weight * values_[p - setup_.begin][d];
            magnitude[d] += weight * std::fabs(values_[p - setup_.begin][d]);
        }
    }
    // Relative error of a weight: twice the score's, the difference's, exp's and the rescaling's; then the sums'.
    const double relative = 4 * result.maximum_bound + (2 * (last - first) + 40 + 4 * (result.maximum - least)) * unit;
    for (uint32_t d = 0; d < setup_.head_length; ++d) {
        result.output.push_back(output[d] / sum);
        result.bound.push_back(relative * magnitude[d] / sum);
    }
    return result;
}

}  // namespace llm::test
