// SmolLM2-135M in Q4_1.
#include "golden/real_model.h"

#include <boost/test/unit_test.hpp>

namespace llm::test {

constexpr RealModel model{"LLM_TEST_SMOLLM2", "smollm2-135m-instruct-q4_1.json"};

BOOST_AUTO_TEST_CASE(prompts_have_the_same_ids) { check_prompt_ids(model); }
BOOST_AUTO_TEST_CASE(clear_choices_are_those_of_the_exact_weights) { check_clear_choices(model); }
BOOST_AUTO_TEST_CASE(likelihood_is_as_near_to_exact_as_the_reference) { check_likelihood(model); }

}  // namespace llm::test
