// Attention: every tier against exact softmax with a bound that follows from the roundings, and against the scalar tier
// bit for bit, over head lengths, row counts, ragged ends, windows and invisible positions that hold NaN.
#include "base/half.h"
#include "kernels/attention_case.h"
#include "kernels/guarded.h"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <sstream>

using namespace llm;
using namespace llm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr CacheType cache_types[] = {CacheType::q16, CacheType::f16, CacheType::f32, CacheType::bf16, CacheType::q8};

std::string describe(const AttentionCase &c) {
    std::ostringstream text;
    text << "head length " << c.head_length << ", rows " << c.row_count() << ", part " << c.begin << ".." << c.end
         << ", seed " << c.seed << ", seen";
    for (uint32_t i = 0; i < c.row_count(); ++i) text << " " << c.row_begin[i] << ".." << c.row_end[i];
    return text.str();
}

void require_same(const AttentionResult &a, const AttentionResult &b, const std::string &text) {
    const bool all_same = first_difference(a.maximum, b.maximum) == a.maximum.size() &&
                          first_difference(a.sum, b.sum) == a.sum.size() &&
                          first_difference(a.weighted, b.weighted) == a.weighted.size();
    BOOST_REQUIRE_MESSAGE(all_same, "tiers differ: " << text);
}

void require_right(const AttentionResult &found, const AttentionData &data, const AttentionCase &setup) {
    for (uint32_t row = 0; row < setup.row_count(); ++row) {
        const ExpectedRow expected = data.expected(row);
        if (expected.empty) {
            BOOST_REQUIRE(found.maximum[row] == -infinity && found.sum[row] == 0.0f);
            for (uint32_t d = 0; d < setup.head_length; ++d)
                BOOST_REQUIRE(found.weighted[row * setup.head_length + d] == 0.0f);
            continue;
        }
        BOOST_REQUIRE_SMALL(found.maximum[row] - expected.maximum, expected.maximum_bound);
        BOOST_REQUIRE(found.maximum[row] != 0.0f || !std::signbit(found.maximum[row]));
        for (uint32_t d = 0; d < setup.head_length; ++d) {
            const double output = double{found.weighted[row * setup.head_length + d]} / found.sum[row];
            BOOST_REQUIRE_MESSAGE(std::fabs(output - expected.output[d]) <= expected.bound[d],
                                  describe(setup) << ": row " << row << ", dimension " << d << " is " << output
                                                  << ", not " << expected.output[d]);
        }
    }
}

void check(const AttentionCase &setup) {
    const AttentionData data(setup);
    const AttentionResult expected = data.run(*tiers()[0]);
    require_right(expected, data, setup);
    for (const KernelTable *table : tiers())
        require_same(expected, data.run(*table), std::string(table->name) + ", " + describe(setup));
}

// Rows of `tokens` tokens with `heads` heads each, the last token at `end` - 1; window 0 is none.
void set_causal_rows(AttentionCase &setup, uint32_t tokens, uint32_t heads, uint32_t end, uint32_t window) {
    for (uint32_t t = 0; t < tokens; ++t) {
        const uint32_t row_end = end - (tokens - 1 - t);
        for (uint32_t h = 0; h < heads; ++h) {
            setup.row_end.push_back(row_end);
            setup.row_begin.push_back(window != 0 && row_end > window ? row_end - window : 0);
        }
    }
}

// Pages full of `fill`, after a store.
struct StoredPages {
    std::vector<uint8_t> key, value;
};

constexpr uint8_t fill = 0x47;

StoredPages stored_pages(const KernelTable &table, CacheType type, uint32_t position, const std::vector<float> &x) {
    const auto head_length = static_cast<uint32_t>(x.size());
    const auto slot = static_cast<uint32_t>(type);
    Guarded<float> input(x, Place::page_end);
    Guarded<uint8_t> key(std::vector<uint8_t>(cache_page_bytes(type, head_length), fill), Place::page_end);
    Guarded<uint8_t> value(key.values(), Place::page_end);
    table.store_key[slot](key.data(), position, input.data(), head_length);
    table.store_value[slot](value.data(), position, input.data(), head_length);
    BOOST_REQUIRE(key.intact() && value.intact() && input.intact());
    return {key.values(), value.values()};
}

// As read by load_key() and load_value(): a NaN is as good as another.
bool same_page(const std::vector<uint8_t> &a, const std::vector<uint8_t> &b, CacheType type, bool is_key,
               uint32_t head_length) {
    for (uint32_t position = 0; position < page_positions; ++position) {
        const auto load = is_key ? load_key : load_value;
        const StoredVector in_a = load(type, a.data(), position, head_length);
        const StoredVector in_b = load(type, b.data(), position, head_length);
        if (first_difference(in_a.x, in_b.x) != head_length || first_difference(in_a.scale, in_b.scale) != head_length)
            return false;
    }
    return true;
}

// The largest error that rounding may make.
double rounding_error(CacheType type, float x, float scale) {
    constexpr double smallest_half = 0x1p-24;
    switch (type) {
        case CacheType::f16:
            return std::max(std::fabs(x) * 0x1p-11, smallest_half / 2);
        case CacheType::bf16:
            return std::fabs(x) * 0x1p-8;
        case CacheType::f32:
            return 0;
        case CacheType::q16:
        case CacheType::q8:
            break;
    }
    return scale * 0.5001;
}

void check_stores(const KernelTable &table, CacheType type, uint32_t position, const std::vector<float> &x) {
    const StoredPages pages = stored_pages(table, type, position, x);
    const auto head_length = static_cast<uint32_t>(x.size());
    const std::vector<uint8_t> untouched(pages.key.size(), fill);
    for (const bool is_key : {true, false}) {
        const auto load = is_key ? load_key : load_value;
        for (uint32_t j = 0; j < page_positions; ++j) {
            const StoredVector found = load(type, (is_key ? pages.key : pages.value).data(), j, head_length);
            if (j != position % page_positions) {
                const StoredVector before = load(type, untouched.data(), j, head_length);
                BOOST_TEST((found.x == before.x && found.scale == before.scale));
                continue;
            }
            for (uint32_t d = 0; d < head_length; ++d)
                BOOST_TEST(std::fabs(double{found.x[d]} - x[d]) <= rounding_error(type, x[d], found.scale[d]));
        }
    }
}

// exp(j * step) for each position j of a page, as the softmax computes it.
std::vector<float> exponentials_of_multiples(const KernelTable &table, float step) {
    constexpr uint32_t length = page_positions;
    const size_t page_floats = cache_page_bytes(CacheType::f32, length) / sizeof(float);
    std::vector<float> keys(page_floats), values(page_floats), query(length);
    query[0] = 1.0f;
    for (uint32_t j = 0; j < page_positions; ++j) {
        std::vector<float> key(length), value(length);
        key[0] = step * static_cast<float>(j);
        value[j] = 1.0f;
        table.store_key[static_cast<uint32_t>(CacheType::f32)](keys.data(), j, key.data(), length);
        table.store_value[static_cast<uint32_t>(CacheType::f32)](values.data(), j, value.data(), length);
    }
    const void *key_page = keys.data(), *value_page = values.data();
    const uint32_t row_begin = 0, row_end = page_positions;
    float maximum, sum;
    std::vector<float> weighted(length);
    Guarded<float> scratch(table.attention_scratch_floats(1, length), Place::line);
    AttentionArgs args = {};
    args.key_type = args.value_type = CacheType::f32;
    args.query = query.data();
    args.query_stride = args.head_length = length;
    args.row_count = 1;
    args.row_begin = &row_begin;
    args.row_end = &row_end;
    args.end = page_positions;
    args.key_pages = &key_page;
    args.value_pages = &value_page;
    args.scale = 1.0f;
    args.maximum = &maximum;
    args.sum = &sum;
    args.weighted = weighted.data();
    args.scratch = scratch.data();
    table.attention(args);
    return weighted;
}

}  // namespace

BOOST_AUTO_TEST_CASE(head_lengths_and_cache_types) {
    uint32_t seed = 0;
    for (uint32_t head_length : {8u, 16u, 32u, 40u, 64u, 72u, 80u, 96u, 128u, 256u, 512u}) {
        for (CacheType key_type : cache_types) {
            for (CacheType value_type : cache_types) {
                AttentionCase setup;
                setup.key_type = key_type;
                setup.value_type = value_type;
                setup.head_length = head_length;
                setup.seed = ++seed;
                setup.end = 150;
                setup.scale = 1.0f / std::sqrt(static_cast<float>(head_length));
                set_causal_rows(setup, 5, 3, 150, 0);
                check(setup);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(row_counts) {
    for (uint32_t rows = 1; rows <= 64; ++rows) {
        AttentionCase setup;
        setup.seed = rows;
        setup.head_length = rows % 2 == 0 ? 32 : 40;
        setup.key_type = cache_types[rows % 5];
        setup.value_type = cache_types[rows / 5 % 5];
        setup.begin = 512 * (rows % 3);
        setup.end = setup.begin + 128 + rows;
        set_causal_rows(setup, rows, 1, setup.end, 0);
        check(setup);
    }
}

// Every number of positions of the only page; one row, and rows of which the first see nothing.
BOOST_AUTO_TEST_CASE(ends) {
    for (uint32_t end = 1; end <= 65; ++end) {
        AttentionCase setup;
        setup.seed = end;
        setup.head_length = 16;
        setup.key_type = setup.value_type = cache_types[end % 5];
        setup.begin = 1024;
        setup.end = setup.begin + end;
        set_causal_rows(setup, 1, end % 5 + 1, setup.end, 0);
        check(setup);
        setup.row_begin.clear();
        setup.row_end.clear();
        set_causal_rows(setup, end + 3, 1, setup.end, 0);
        check(setup);
        setup.end = setup.begin + 512;  // the part goes on, the rows do not
        check(setup);
    }
}

BOOST_AUTO_TEST_CASE(windows) {
    for (uint32_t window : {1u, 2u, 15u, 16u, 17u, 63u, 64u, 65u, 100u, 200u}) {
        for (uint32_t tokens : {1u, 3u, 20u}) {
            AttentionCase setup;
            setup.seed = window + tokens;
            setup.key_type = setup.value_type = tokens == 3 ? CacheType::f16 : CacheType::q16;
            setup.head_length = 24;
            setup.begin = 512;
            setup.end = 512 + 230;
            set_causal_rows(setup, tokens, 3, setup.end, window);
            check(setup);
        }
    }
}

// Rows that see nothing before, between and after those that do.
BOOST_AUTO_TEST_CASE(blind_rows) {
    for (CacheType type : cache_types) {
        AttentionCase setup;
        setup.key_type = setup.value_type = type;
        setup.head_length = 32;
        setup.begin = 512;
        setup.end = 900;
        setup.row_begin = {0, 100, 510, 600, 600, 640, 700, 700, 900, 2000};
        setup.row_end = {0, 512, 520, 600, 610, 640, 704, 5000, 5000, 5000};
        check(setup);
        setup.row_begin = {950, 1000};
        setup.row_end = {960, 1000};
        check(setup);
    }
}

BOOST_AUTO_TEST_CASE(random_ranges) {
    std::mt19937 random(5);
    for (uint32_t i = 0; i < 300; ++i) {
        AttentionCase setup;
        setup.seed = i;
        setup.head_length = 8 * (1 + random() % 10);
        setup.key_type = cache_types[random() % 5];
        setup.value_type = cache_types[random() % 5];
        setup.begin = 512 * (random() % 3);
        setup.end = setup.begin + 1 + random() % 512;
        setup.softcap = random() % 3 == 0 ? 5.0f : 0.0f;
        const uint32_t rows = 1 + random() % 20;
        for (uint32_t r = 0; r < rows; ++r) {
            setup.row_begin.push_back(random() % (setup.end + 20));
            setup.row_end.push_back(random() % (setup.end + 100));
        }
        std::sort(setup.row_begin.begin(), setup.row_begin.end());
        std::sort(setup.row_end.begin(), setup.row_end.end());
        check(setup);
    }
}

BOOST_AUTO_TEST_CASE(softcap_and_large_scores) {
    for (float spread : {0.0f, 1.0f, 30.0f, 1000.0f}) {
        for (float softcap : {0.0f, 1.0f, 50.0f}) {
            AttentionCase setup;
            setup.seed = static_cast<uint32_t>(spread + softcap);
            setup.head_length = 64;
            setup.end = 200;
            setup.softcap = softcap;
            setup.query_spread = spread;
            setup.key_type = setup.value_type = softcap == 50.0f ? CacheType::f32 : CacheType::q16;
            set_causal_rows(setup, 4, 2, 200, 0);
            check(setup);
            setup.scale = -setup.scale;
            check(setup);
        }
    }
}

// Where value j is the unit vector j, the weighted sum holds the exponentials themselves.
BOOST_AUTO_TEST_CASE(exponentials_of_differences) {
    for (const KernelTable *table : tiers()) {
        for (float step : {0.0f, 1e-4f, 0.0123f, 0.731f, 1.37f, 90.0f}) {
            const std::vector<float> found = exponentials_of_multiples(*table, -step);
            for (uint32_t j = 0; j < page_positions; ++j) {
                const double x = -step * static_cast<float>(j), exact = std::exp(x);
                const double bound = x > -87.3 ? (3 - 1.3 * x) * 0x1p-24 * exact : 0x1p-126;
                BOOST_TEST(std::fabs(found[j] - exact) <= bound);
            }
        }
    }
}

// What one row sees does not reach another one of the same block.
BOOST_AUTO_TEST_CASE(not_finite_positions_stay_with_their_rows) {
    for (CacheType type : cache_types) {
        for (float special : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
            AttentionCase setup;
            setup.key_type = setup.value_type = type;
            setup.head_length = 48;
            setup.end = 128;
            set_causal_rows(setup, 12, 1, 128, 0);
            AttentionData data(setup);
            const AttentionResult before = data.run(*tiers()[0]);
            constexpr uint32_t changed = 123;  // seen by the last five rows
            data.store(changed, special, special);
            const AttentionResult after = data.run(*tiers()[0]);
            for (const KernelTable *table : tiers()) {
                const AttentionResult found = data.run(*table);
                require_same(after, found, table->name);
                for (uint32_t row = 0; row < 12; ++row) {
                    const bool sees = setup.row_end[row] > changed;
                    BOOST_TEST(std::isfinite(found.sum[row]) == !sees);
                    if (!sees) BOOST_TEST(same(found.sum[row], before.sum[row]));
                }
            }
        }
    }
}

// A value alone that is not finite shows in the results of those that see it, and nowhere else.
BOOST_AUTO_TEST_CASE(not_finite_values_show) {
    for (CacheType type : cache_types) {
        for (float special : {std::numeric_limits<float>::quiet_NaN(), infinity}) {
            AttentionCase setup;
            setup.value_type = type;
            setup.head_length = 40;
            setup.end = 100;
            set_causal_rows(setup, 9, 2, 100, 0);
            AttentionData data(setup);
            data.store(97, 0.5f, special);
            const AttentionResult expected = data.run(*tiers()[0]);
            for (const KernelTable *table : tiers()) {
                const AttentionResult found = data.run(*table);
                require_same(expected, found, table->name);
                for (uint32_t row = 0; row < setup.row_count(); ++row)
                    for (uint32_t d = 0; d < 40; ++d)
                        BOOST_TEST(std::isfinite(found.weighted[row * 40 + d]) == (setup.row_end[row] <= 97));
            }
        }
    }
}

// A score that is NaN is passed over when the largest one is sought: only the position of the largest one matters.
BOOST_AUTO_TEST_CASE(nan_is_never_the_maximum) {
    for (CacheType type : {CacheType::f16, CacheType::q16}) {
        AttentionCase setup;
        setup.key_type = type;
        setup.end = 128;
        set_causal_rows(setup, 1, 1, 128, 0);
        const float maximum = AttentionData(setup).run(*tiers()[0]).maximum[0];
        for (const KernelTable *table : tiers()) {
            uint32_t changes = 0;
            for (uint32_t position = 0; position < setup.end; ++position) {
                AttentionData data(setup);
                data.store(position, std::numeric_limits<float>::quiet_NaN(), 1.0f);
                const AttentionResult found = data.run(*table);
                BOOST_TEST(std::isnan(found.sum[0]));
                BOOST_TEST(found.maximum[0] <= maximum);
                changes += found.maximum[0] != maximum;
            }
            BOOST_TEST(changes == 1u);
        }
    }
}

// Parts that are merged in ascending order give what one exact softmax over all of them gives.
BOOST_AUTO_TEST_CASE(merge_of_parts) {
    for (const KernelTable *table : tiers()) {
        for (uint32_t head_length : {8u, 40u, 64u, 136u}) {
            std::mt19937 random(head_length);
            std::normal_distribution<float> normal;
            const auto make = [&] {
                std::vector<float> part;
                for (uint32_t d = 0; d < head_length; ++d) part.push_back(normal(random));
                return part;
            };
            for (float difference : {-200.0f, -3.0f, 0.0f, 2.0f, 150.0f}) {
                const std::vector<float> a = make(), b = make();
                Guarded<float> weighted_a(a, Place::page_end), weighted_b(b, Place::page_end);
                float maximum = 7.0f, sum = 3.0f;
                const float maximum_b = 7.0f + difference, sum_b = 2.0f;
                table->attention_merge(&maximum, &sum, weighted_a.data(), maximum_b, sum_b, weighted_b.data(),
                                       head_length);
                BOOST_REQUIRE(weighted_a.intact() && weighted_b.intact());
                const double top = std::max(7.0, 7.0 + difference);
                const double factor_a = std::exp(7.0 - top), factor_b = std::exp(7.0 + difference - top);
                BOOST_TEST(maximum == top);
                BOOST_TEST(std::fabs(sum - (3.0 * factor_a + 2.0 * factor_b)) < 1e-6);
                for (uint32_t d = 0; d < head_length; ++d)
                    BOOST_TEST(std::fabs(weighted_a.data()[d] - (a[d] * factor_a + b[d] * factor_b)) < 2e-6);

                float scalar_maximum = 7.0f, scalar_sum = 3.0f;
                std::vector<float> scalar_weighted = a;
                tiers()[0]->attention_merge(&scalar_maximum, &scalar_sum, scalar_weighted.data(), maximum_b, sum_b,
                                            b.data(), head_length);
                BOOST_TEST(same(sum, scalar_sum));
                BOOST_TEST(first_difference(weighted_a.values(), scalar_weighted) == head_length);
            }
            // Empty parts.
            const std::vector<float> zeros(head_length), full = make();
            std::vector<float> weighted = zeros;
            float maximum = -infinity, sum = 0.0f;
            table->attention_merge(&maximum, &sum, weighted.data(), -infinity, 0.0f, zeros.data(), head_length);
            BOOST_TEST(maximum == -infinity);
            table->attention_merge(&maximum, &sum, weighted.data(), 2.0f, 5.0f, full.data(), head_length);
            BOOST_TEST((maximum == 2.0f && sum == 5.0f && weighted == full));
            table->attention_merge(&maximum, &sum, weighted.data(), -infinity, 0.0f, zeros.data(), head_length);
            BOOST_TEST((maximum == 2.0f && sum == 5.0f && weighted == full));
        }
    }
}

// What is written can be read with the error of the type, and all else in the page stays as it was.
BOOST_AUTO_TEST_CASE(stores_fill_their_place_only) {
    for (uint32_t head_length : {8u, 24u, 64u, 80u}) {
        std::vector<float> x;
        for (uint32_t d = 0; d < head_length; ++d) x.push_back(0.37f * d - 1.0f / (d + 1));
        x[1] = 1e-7f;
        x[2] = -0.0f;
        for (CacheType type : cache_types)
            for (uint32_t position : {0u, 1u, 15u, 16u, 63u, 64u, 1000u})
                for (const KernelTable *table : tiers()) check_stores(*table, type, position, x);
    }
}

BOOST_AUTO_TEST_CASE(stores_of_extreme_numbers) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::vector<float> &pattern : {std::vector<float>{0.0f},
                                              {-0.0f, 0.0f},
                                              {1e-42f},
                                              {1e-36f},
                                              {3e38f},
                                              {1e25f, -1.0f},
                                              {65519.9f, 65520.0f},
                                              {nan, 1.0f},
                                              {infinity, 1.0f},
                                              {-infinity, nan}}) {
        std::vector<float> x(72);
        for (uint32_t d = 0; d < x.size(); ++d) x[d] = pattern[d % pattern.size()];
        for (CacheType type : cache_types) {
            const StoredPages expected = stored_pages(*tiers()[0], type, 5, x);
            for (const KernelTable *table : tiers()) {
                const StoredPages found = stored_pages(*table, type, 5, x);
                BOOST_TEST(same_page(found.key, expected.key, type, true, 72));
                BOOST_TEST(same_page(found.value, expected.value, type, false, 72));
            }
        }
    }
}
