#include "sampler/penalties.h"

#include "base/error.h"

#include <algorithm>

namespace llm {

void add_logit_bias(std::span<float> logits, std::span<const llm_logit_bias> biases) {
    for (const llm_logit_bias &bias : biases) {
        if (static_cast<size_t>(bias.token) >= logits.size())
            fail(LLM_ERROR_ARGUMENT, "logit_bias names token ", bias.token, ", the vocabulary has ", logits.size());
        logits[static_cast<size_t>(bias.token)] += bias.bias;
    }
}

void RepetitionPenalties::apply(std::span<float> logits, std::span<const llm_token> recent) {
    sorted_.assign(recent.begin(), recent.end());
    std::sort(sorted_.begin(), sorted_.end());
    for (auto first = sorted_.begin(); first != sorted_.end();) {
        const auto last = std::upper_bound(first, sorted_.end(), *first);
        const auto token = static_cast<size_t>(*first);
        const auto count = static_cast<float>(last - first);
        first = last;
        if (token >= logits.size()) continue;
        float &logit = logits[token];
        logit = logit > 0.0f ? logit / repeat_ : logit * repeat_;
        logit -= count * frequency_ + presence_;
    }
}

}  // namespace llm
