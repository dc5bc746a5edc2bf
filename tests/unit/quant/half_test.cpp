// Half floats and bfloat16 against their definitions, for every 16-bit number and around every tie.
#include "base/half.h"

#include <boost/test/unit_test.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using namespace llm;

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }

// The value of a finite number with `mantissa_bits` bits of mantissa and a biased exponent in 16 bits.
double value_of(uint16_t bits, int mantissa_bits, int bias) {
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const int exponent = (bits & 0x7fff) >> mantissa_bits;
    const double magnitude = exponent == 0
                                 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                 : std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    return bits & 0x8000 ? -magnitude : magnitude;
}

// Checks the rounding of everything between two neighbours, the first of which is the lower one in magnitude. `upper`
// may be the value that the format would have next if it did not end.
void check_rounding(uint16_t (*narrow)(float), uint16_t lower_bits, double lower, double upper) {
    const auto middle = static_cast<float>((lower + upper) / 2);  // exact
    const float toward_lower = std::nextafter(middle, static_cast<float>(lower));
    const float toward_upper = std::nextafter(middle, std::numeric_limits<float>::infinity() * (upper > 0 ? 1 : -1));
    const auto upper_bits = static_cast<uint16_t>(lower_bits + 1);
    BOOST_REQUIRE_EQUAL(narrow(static_cast<float>(lower)), lower_bits);
    BOOST_REQUIRE_EQUAL(narrow(toward_lower), lower_bits);
    BOOST_REQUIRE_EQUAL(narrow(middle), lower_bits % 2 == 0 ? lower_bits : upper_bits);
    BOOST_REQUIRE_EQUAL(narrow(toward_upper), upper_bits);
}

void check_format(float (*widen)(uint16_t), uint16_t (*narrow)(float), int mantissa_bits, int bias) {
    const uint16_t infinity = static_cast<uint16_t>(0x7fff >> mantissa_bits << mantissa_bits);
    for (const uint16_t sign : {uint16_t{0}, uint16_t{0x8000}}) {
        for (uint16_t magnitude = 0; magnitude < infinity; ++magnitude) {
            const auto bits = static_cast<uint16_t>(sign | magnitude);
            const double value = value_of(bits, mantissa_bits, bias);
            BOOST_REQUIRE_EQUAL(bits_of(widen(bits)), bits_of(static_cast<float>(value)));
            const double next = value_of(static_cast<uint16_t>(bits + 1), mantissa_bits, bias);
            check_rounding(narrow, bits, value, next);
        }
        const auto signed_infinity = static_cast<uint16_t>(sign | infinity);
        BOOST_TEST(std::isinf(widen(signed_infinity)));
        BOOST_TEST(std::signbit(widen(signed_infinity)) == (sign != 0));
        BOOST_TEST(narrow(widen(signed_infinity)) == signed_infinity);
        const uint16_t quiet = static_cast<uint16_t>(1 << (mantissa_bits - 1));
        for (uint16_t bits = static_cast<uint16_t>(signed_infinity + 1); (bits & 0x7fff) > infinity; ++bits) {
            BOOST_REQUIRE(std::isnan(widen(bits)));
            BOOST_REQUIRE_EQUAL(narrow(widen(bits)), bits | quiet);
            if (bits == 0xffff) break;
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(half_floats) { check_format(half_to_float, float_to_half, 10, 15); }

BOOST_AUTO_TEST_CASE(bfloats) { check_format(bfloat_to_float, float_to_bfloat, 7, 127); }

BOOST_AUTO_TEST_CASE(a_nan_with_only_low_bits_stays_one) {
    for (const uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu}) {
        BOOST_TEST(std::isnan(half_to_float(float_to_half(std::bit_cast<float>(bits)))));
        BOOST_TEST(std::isnan(bfloat_to_float(float_to_bfloat(std::bit_cast<float>(bits)))));
    }
}

BOOST_AUTO_TEST_CASE(large_floats_become_infinite_halves) {
    BOOST_TEST(float_to_half(65504.0f) == 0x7bff);
    BOOST_TEST(float_to_half(65536.0f) == 0x7c00);
    BOOST_TEST(float_to_half(-std::numeric_limits<float>::max()) == 0xfc00);
    BOOST_TEST(float_to_half(std::numeric_limits<float>::denorm_min()) == 0);
}
