// The order of rows: each row once, equal shares, and rows of all places in each share.
#include "engine/row_order.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace llm;

namespace {

// The rows in the order in which they come.
std::vector<uint32_t> rows_of(const RowOrder &order) {
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < order.block_count(); ++i) {
        const RowRange block = order.block(i);
        if (block.count == 0 || block.count > order.block_rows()) BOOST_ERROR("a block of " << block.count << " rows");
        for (uint32_t row = block.first; row < block.end(); ++row) rows.push_back(row);
    }
    return rows;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_comes_once) {
    for (const uint32_t participants : {1u, 2u, 3u, 8u, 64u}) {
        for (uint32_t count = 0; count < 700; ++count) {
            std::vector<uint32_t> seen(count);
            for (const uint32_t row : rows_of(RowOrder::of_batch(count, participants))) {
                BOOST_REQUIRE(row < count);
                ++seen[row];
            }
            if (seen != std::vector<uint32_t>(count, 1)) BOOST_ERROR(count << " rows for " << participants);
        }
    }
}

BOOST_AUTO_TEST_CASE(small_batches_come_in_one_piece) {
    for (const uint32_t count : {1u, 2u, 15u, 40u}) {
        const RowOrder order = RowOrder::of_batch(count, 2);
        BOOST_TEST(!order.is_dealt_out());
        BOOST_TEST(order.block_count() == 1u);
        BOOST_TEST(order.block(0).count == count);
    }
    BOOST_TEST(RowOrder::of_batch(0, 2).block_count() == 0u);
}

// With two shares of 512 rows: each has about as many rows, and as long a past to attend to, as the other.
BOOST_AUTO_TEST_CASE(shares_are_equal) {
    const RowOrder order = RowOrder::of_batch(512, 2);
    BOOST_TEST(order.is_dealt_out());
    const std::vector<uint32_t> rows = rows_of(order);
    uint64_t past[2] = {};
    for (size_t i = 0; i < rows.size(); ++i) past[i / 256] += rows[i] + 1;
    const double all = 512.0 * 513 / 2;
    BOOST_TEST(past[0] > 0.47 * all);
    BOOST_TEST(past[1] > 0.47 * all);
}

// Blocks of three rows for two: 0 2 4 6, then 1 3 5.
BOOST_AUTO_TEST_CASE(blocks_are_dealt_like_cards) {
    const RowOrder order(20, 3, 2);
    BOOST_TEST(rows_of(order) == (std::vector<uint32_t>{0, 1, 2, 6, 7,  8,  12, 13, 14, 18, 19,  //
                                                        3, 4, 5, 9, 10, 11, 15, 16, 17}),
               boost::test_tools::per_element());
}
