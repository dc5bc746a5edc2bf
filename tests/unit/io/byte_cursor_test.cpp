// ByteCursor and checked arithmetic: what all parsing of files rests on.
#include "base/byte_cursor.h"
#include "base/checked_math.h"

#include <boost/test/unit_test.hpp>

#include <array>
#include <limits>

using namespace llm;

namespace {

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

// Hands out a text in steps, into a new buffer each time, as a file reader would.
class SteppingSupply final : public ByteCursor::Supply {
public:
    explicit SteppingSupply(std::string_view text) : text_(text) {}

    std::span<const uint8_t> first_bytes(uint64_t count) override {
        ++calls;
        bytes_ = std::vector<uint8_t>(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(count));
        return bytes_;
    }

    int calls = 0;

private:
    std::string_view text_;
    std::vector<uint8_t> bytes_;
};

bool is_truncated(const Error &error) { return error.status() == LLM_ERROR_TRUNCATED; }

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_are_little_endian) {
    const std::array<uint8_t, 8> bytes = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0xf8};
    BOOST_TEST(load_little_endian<uint8_t>(bytes.data()) == 0x01);
    BOOST_TEST(load_little_endian<uint16_t>(bytes.data()) == 0x0201);
    BOOST_TEST(load_little_endian<uint32_t>(bytes.data()) == 0x04030201u);
    BOOST_TEST(load_little_endian<uint64_t>(bytes.data()) == 0xf807060504030201u);
    BOOST_TEST(load_little_endian<int64_t>(bytes.data()) == -0x7f8f9fafbfcfdffLL);
    BOOST_TEST(load_little_endian<int8_t>(bytes.data() + 7) == -8);
    const std::array<uint8_t, 4> one = {0x00, 0x00, 0x80, 0x3f};
    BOOST_TEST(load_little_endian<float>(one.data()) == 1.0f);
    const std::array<uint8_t, 8> minus_two = {0, 0, 0, 0, 0, 0, 0x00, 0xc0};
    BOOST_TEST(load_little_endian<double>(minus_two.data()) == -2.0);
}

BOOST_AUTO_TEST_CASE(reading_stops_at_the_end) {
    const std::array<uint8_t, 6> bytes = {1, 0, 0, 0, 2, 0};
    ByteCursor cursor(bytes);
    BOOST_TEST(cursor.read<uint32_t>({"first"}) == 1u);
    BOOST_TEST(cursor.left() == 2u);
    BOOST_CHECK_EXCEPTION(cursor.read<uint32_t>({"second"}), Error, is_truncated);
    BOOST_CHECK_EXCEPTION(cursor.take(most, {"much"}), Error, is_truncated);
    BOOST_TEST(cursor.offset() == 4u);
    BOOST_TEST(cursor.read<uint16_t>({"third"}) == 2u);
    BOOST_TEST(cursor.take(0, {"nothing"}).size() == 0u);
    BOOST_TEST(cursor.left() == 0u);
}

BOOST_AUTO_TEST_CASE(a_failure_names_the_place) {
    ByteCursor cursor(std::span<const uint8_t>{});
    try {
        cursor.read<uint32_t>({"string", "tokens", 7});
        BOOST_FAIL("read beyond the end");
    } catch (const Error &error) {
        BOOST_TEST(std::string(error.what()) ==
                   "the file is truncated: string 7 of 'tokens' at offset 0 needs 4 bytes, 0 are left");
    }
}

BOOST_AUTO_TEST_CASE(a_supply_is_asked_only_for_what_is_missing) {
    SteppingSupply supply("abcdefgh");
    ByteCursor cursor(supply, 8);
    BOOST_TEST(cursor.take(3, {"a"})[2] == 'c');
    BOOST_TEST(supply.calls == 1);
    BOOST_TEST(cursor.take(5, {"b"})[4] == 'h');
    BOOST_TEST(supply.calls == 2);
    BOOST_CHECK_EXCEPTION(cursor.take(1, {"c"}), Error, is_truncated);
    BOOST_TEST(supply.calls == 2);
}

BOOST_AUTO_TEST_CASE(arithmetic_never_wraps) {
    BOOST_TEST((checked_add(most, 0) == most));
    BOOST_TEST(!checked_add(most, 1));
    BOOST_TEST(!checked_add(uint64_t{1} << 63, uint64_t{1} << 63));
    BOOST_TEST((checked_multiply(most, 1) == most));
    BOOST_TEST((checked_multiply(0, most) == uint64_t{0}));
    BOOST_TEST((checked_multiply(uint64_t{1} << 32, (uint64_t{1} << 32) - 1) == most - 0xffffffff));
    BOOST_TEST(!checked_multiply(uint64_t{1} << 32, uint64_t{1} << 32));
    BOOST_TEST(!checked_multiply((uint64_t{1} << 42) + 1, uint64_t{1} << 22));
    BOOST_TEST((checked_align(0, 32) == uint64_t{0}));
    BOOST_TEST((checked_align(1, 32) == uint64_t{32}));
    BOOST_TEST((checked_align(64, 32) == uint64_t{64}));
    BOOST_TEST((checked_align(most - 31, 32) == most - 31));
    BOOST_TEST(!checked_align(most - 30, 32));
}
