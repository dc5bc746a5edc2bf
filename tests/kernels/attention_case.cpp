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

bool is_integer(CacheType type) { return type == CacheType::q16 || type == CacheType::q8; }

float to_float(float x) { return x; }
float to_float(Half x) { return half_to_float(x.bits); }
float to_float(BrainFloat x) { return bfloat_to_float(x.bits); }

// place(d) is where element d lies among the page's elements.
template <class Element, class Place>
StoredVector load_floats(const void *page, uint32_t head_length, Place place) {
    StoredVector out;
    for (uint32_t d = 0; d < head_length; ++d) {
        out.x.push_back(to_float(static_cast<const Element *>(page)[place(d)]));
        out.scale.push_back(0);
    }
    return out;
}

template <class Integer, class Place>
StoredVector load_integers(const void *page, uint32_t block_length, uint32_t j, uint32_t head_length, Place place) {
    const auto *scales = static_cast<const float *>(page);
    const uint32_t blocks = (head_length + block_length - 1) / block_length;
    const auto *integers = reinterpret_cast<const Integer *>(scales + blocks * 64);
    StoredVector out;
    for (uint32_t d = 0; d < head_length; ++d) {
        out.scale.push_back(scales[d / block_length * 64 + j]);
        out.x.push_back(static_cast<float>(integers[place(d)]) * out.scale.back());
    }
    return out;
}

template <class FloatPlace, class IntegerPlace>
StoredVector load(CacheType type, const void *page, uint32_t j, uint32_t head_length, FloatPlace float_place,
                  IntegerPlace integer_place) {
    switch (type) {
        case CacheType::q16:
            return load_integers<int16_t>(page, head_length, j, head_length, integer_place);
        case CacheType::q8:
            return load_integers<int8_t>(page, 32, j, head_length, integer_place);
        case CacheType::f16:
            return load_floats<Half>(page, head_length, float_place);
        case CacheType::bf16:
            return load_floats<BrainFloat>(page, head_length, float_place);
        case CacheType::f32:
            break;
    }
    return load_floats<float>(page, head_length, float_place);
}

// Pages full of NaN, each ending where memory ends, and pointers to them that do not follow their order in memory.
std::vector<const void *> make_pages(std::vector<std::unique_ptr<GuardedBuffer>> &pages, uint32_t count, CacheType type,
                                     uint32_t head_length, std::mt19937 &random) {
    const size_t element_bytes = type == CacheType::f16 || type == CacheType::bf16 ? 2 : 4;
    const size_t page_bytes = cache_page_bytes(type, head_length);
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

StoredVector load_key(CacheType type, const void *page, uint32_t position, uint32_t head_length) {
    const uint32_t j = position % 64, tile = j / 16, lane = j % 16;
    return load(
        type, page, j, head_length, [&](uint32_t d) { return (size_t{tile} * head_length + d) * 16 + lane; },
        [&](uint32_t d) { return ((size_t{tile} * (head_length / 2) + d / 2) * 16 + lane) * 2 + d % 2; });
}

StoredVector load_value(CacheType type, const void *page, uint32_t position, uint32_t head_length) {
    const uint32_t j = position % 64;
    return load(
        type, page, j, head_length, [&](uint32_t d) { return size_t{j} * head_length + d; },
        [&](uint32_t d) { return (size_t{j / 2} * head_length + d) * 2 + j % 2; });
}

AttentionData::AttentionData(const AttentionCase &setup)
    : setup_(setup), query_stride_(setup.head_length + setup.seed % 3) {
    std::mt19937 random(setup.seed);
    std::normal_distribution<float> normal;
    const uint32_t page_count = (setup.end - setup.begin + page_positions - 1) / page_positions;
    key_page_list_ = make_pages(key_pages_, page_count, setup.key_type, setup.head_length, random);
    value_page_list_ = make_pages(value_pages_, page_count, setup.value_type, setup.head_length, random);
    queries_.resize(query_stride_ * setup.row_count());
    for (float &q : queries_) q = normal(random) * setup.query_spread;
    keys_.resize(setup.end - setup.begin);
    values_ = std::vector<StoredVector>(keys_.size());
    std::vector<float> key(setup.head_length), value(setup.head_length);
    for (uint32_t position = setup.begin; position < setup.end; ++position) {
        for (float &k : key) k = normal(random);
        for (float &v : value) v = normal(random);
        if (is_seen(position)) store_all(position, key, value);
    }
}

bool AttentionData::is_seen(uint32_t position) const {
    for (uint32_t row = 0; row < setup_.row_count(); ++row)
        if (position >= setup_.row_begin[row] && position < setup_.row_end[row]) return true;
    return false;
}

void AttentionData::store(uint32_t position, float key, float value) {
    store_all(position, std::vector<float>(setup_.head_length, key), std::vector<float>(setup_.head_length, value));
}

void AttentionData::store_all(uint32_t position, const std::vector<float> &key, const std::vector<float> &value) {
    const KernelTable &scalar = *kernel_table("scalar");
    const size_t i = position - setup_.begin;
    auto *key_page = const_cast<void *>(key_page_list_[i / page_positions]);
    auto *value_page = const_cast<void *>(value_page_list_[i / page_positions]);
    scalar.store_key[index(setup_.key_type)](key_page, position, key.data(), setup_.head_length);
    scalar.store_value[index(setup_.value_type)](value_page, position, value.data(), setup_.head_length);
    keys_[i] = load_key(setup_.key_type, key_page, position, setup_.head_length);
    values_[i] = load_value(setup_.value_type, value_page, position, setup_.head_length);
}

AttentionResult AttentionData::run(const KernelTable &table) const {
    const uint32_t rows = setup_.row_count();
    Guarded<float> maximum(rows, Place::page_end), sum(rows, Place::page_end);
    Guarded<float> weighted(size_t{rows} * setup_.head_length, Place::page_end);
    Guarded<float> scratch(table.attention_scratch_floats(rows, setup_.head_length), Place::line);
    Guarded<float> query(std::vector<float>(queries_.begin(), queries_.end() - (query_stride_ - setup_.head_length)),
                         Place::page_end);
    AttentionArgs args = {};
    args.key_type = setup_.key_type;
    args.value_type = setup_.value_type;
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
    table.attention(args);
    const AttentionResult result = {maximum.values(), sum.values(), weighted.values()};
    args.same_queries = true;
    table.attention(args);
    BOOST_REQUIRE(first_difference(result.weighted, weighted.values()) == result.weighted.size());
    BOOST_REQUIRE(maximum.intact() && sum.intact() && weighted.intact() && scratch.intact() && query.intact());
    return result;
}

double AttentionData::score(uint32_t row, uint32_t position, double &bound) const {
    const float *query = queries_.data() + row * query_stride_;
    const std::vector<float> &key = keys_[position - setup_.begin].x;
    double sum = 0, magnitude = 0, query_square = 0, key_sum = 0;
    for (uint32_t d = 0; d < setup_.head_length; ++d) {
        sum += double{query[d]} * key[d];
        magnitude += std::fabs(double{query[d]} * key[d]);
        query_square += double{query[d]} * query[d];
        key_sum += std::fabs(key[d]);
    }
    bound = (setup_.head_length + 4) * unit * magnitude;
    // A query of integers: each is rounded by up to half a step, of which the norm has 32767.
    if (is_integer(setup_.key_type)) bound += 0.51 * std::sqrt(query_square) / 32767 * key_sum;
    bound *= std::fabs(setup_.scale);
    sum *= setup_.scale;
    if (setup_.softcap == 0.0f) return sum;
    bound += 6 * unit * std::fabs(sum);
    return setup_.softcap * std::tanh(sum / setup_.softcap);
}

// What the rounding of the weights to integers can add to each element, for positions from `first` on with these
// weights: half a step of each weight of a page, whose sum with the values' scales has 32767.
std::vector<double> AttentionData::weight_errors(uint32_t first, const std::vector<double> &weights) const {
    std::vector<double> errors(setup_.head_length);
    const auto last = first + static_cast<uint32_t>(weights.size());
    for (uint32_t begin = first; begin < last;) {
        const uint32_t end = std::min(last, (begin / page_positions + 1) * page_positions);
        for (uint32_t d = 0; d < setup_.head_length; ++d) {
            double step = 0, integers = 0;
            for (uint32_t p = begin; p < end; ++p) {
                const StoredVector &value = values_[p - setup_.begin];
                if (value.scale[d] == 0.0f) continue;
                step += weights[p - first] * value.scale[d] / 32767;
                integers += std::fabs(value.x[d] / value.scale[d]);
            }
            errors[d] += 0.51 * step * integers;
        }
        begin = end;
    }
    return errors;
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
    std::vector<double> weights, output(setup_.head_length), magnitude(setup_.head_length);
    for (uint32_t p = first; p < last; ++p) {
        const double weight = std::exp(scores[p - first] - result.maximum);
        sum += weight;
        weights.push_back(weight);
        for (uint32_t d = 0; d < setup_.head_length; ++d) {
            output[d] += weight * values_[p - setup_.begin].x[d];
            magnitude[d] += weight * std::fabs(values_[p - setup_.begin].x[d]);
        }
    }
    // Relative error of a weight: twice the score's, the difference's, exp's and the rescaling's; then the sums'.
    const double relative = 4 * result.maximum_bound + (2 * (last - first) + 40 + 4 * (result.maximum - least)) * unit;
    const std::vector<double> errors = weight_errors(first, weights);
    for (uint32_t d = 0; d < setup_.head_length; ++d) {
        result.output.push_back(output[d] / sum);
        result.bound.push_back((relative * magnitude[d] + errors[d]) / sum);
    }
    return result;
}

}  // namespace llm::test
