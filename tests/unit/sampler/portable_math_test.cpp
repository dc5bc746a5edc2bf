// The library's own exp() and log().
#include "sampler/portable_math.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

namespace llm::test {

BOOST_AUTO_TEST_CASE(portable_exp_agrees_with_the_c_library) {
    double worst = 0.0;
    for (double x = -690.0; x <= 0.0; x += 0.01171875)
        worst = std::max(worst, std::abs(portable_exp(x) - std::exp(x)) / std::exp(x));
    BOOST_TEST(worst < 5e-16);
    BOOST_TEST(portable_exp(0.0) == 1.0);
    BOOST_TEST(portable_exp(-701.0) == 0.0);
    BOOST_TEST(portable_exp(-std::numeric_limits<double>::infinity()) == 0.0);
}

BOOST_AUTO_TEST_CASE(portable_log_agrees_with_the_c_library) {
    double worst = 0.0;
    for (double x = 1e-300; x < 1e300; x *= 1.0371)
        worst = std::max(worst, std::abs(portable_log(x) - std::log(x)) / std::abs(std::log(x)));
    BOOST_TEST(worst < 1e-15);
    for (double x = 0.9; x < 1.1; x += 0.00037)
        BOOST_TEST(std::abs(portable_log(x) - std::log(x)) <= 1e-15 * std::abs(std::log(x)));
    BOOST_TEST(portable_log(1.0) == 0.0);
}

}  // namespace llm::test
