// The least that the evaluation of a model has to read and to compute, and so the time that it takes at least.
#pragma once

#include "bench.h"

namespace cli {

class ModelWork {
public:
    explicit ModelWork(const llm_model *model);

    // Bytes of the weights that are read for one token.
    double bytes_for_token() const { return layer_bytes_ + output_bytes_; }

    Bound bound(const BenchTest &test, const llm_context_info &context, const MachineRates &machine) const;

private:
    void add(const llm_tensor &tensor, double share);

    // All but the embedding; the output matrix, which is needed only for tokens whose logits are asked for, apart.
    double layer_bytes_ = 0, layer_products_ = 0;
    double output_bytes_ = 0, output_products_ = 0;
    std::size_t attention_window_ = SIZE_MAX;
};

}  // namespace cli
