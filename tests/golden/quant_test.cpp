// One tiny model in every tensor type. What eight-bit activations cost is measured against logits of the same weights
// in full precision, and may be no more than what the reference engine loses.
#include "golden/golden_file.h"
#include "support/session.h"
#include "support/test_data.h"

#include <boost/test/unit_test.hpp>

#include <cstdio>

namespace llm::test {

namespace {

constexpr double allowed_ratio = 1.05;
// The reference computes the F32 file without any loss; there the rule of full precision holds.
constexpr double lossless_nmse = 1e-8;

constexpr const char *types[] = {
    "f32",  "f16",    "bf16",   "q4_0",   "q4_1",   "q5_0", "q5_1",   "q8_0",
    "q2_k", "q3_k_m", "q4_k_s", "q4_k_m", "q5_k_m", "q6_k", "iq4_nl", "iq4_xs",
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_type_loses_more_than_the_reference) {
    if (!have_data("golden/quant")) return;
    std::printf("%-8s %12s %12s %8s\n", "type", "ours", "reference", "ratio");
    for (const std::string type : types) {
        BOOST_TEST_CONTEXT("type " << type) {
            const std::string stem = (data_folder() / "golden/quant" / ("tiny-wide-" + type)).string();
            const GoldenFile golden(stem + ".golden.gguf");
            const ModelPointer model = open_model(stem + ".gguf");
            Session session(model.get(), precise_options(256));
            const auto exact = golden.read<float>(0, "exact");
            const double ours = nmse(session.evaluate_all(golden.read<llm_token>(0, "ids")), exact);
            const double reference = nmse(golden.read<float>(0, "logits"), exact);
            std::printf("%-8s %12.3e %12.3e %8.3f\n", type.c_str(), ours, reference,
                        reference > 0 ? ours / reference : 0);
            BOOST_TEST(ours <= (reference > 0 ? allowed_ratio * reference : lossless_nmse));
        }
    }
}

}  // namespace llm::test
