// Matrix products from the file's own layout, in the order of operations that kernel_table.h lays down. It shares no
// code with the packed layout or the kernels.
#pragma once

#include "support/weight_rows.h"

#include <cstdint>
#include <vector>

namespace llm::test {

// One row taken apart: element k is scale[k / part_length] * q[k] + minimum[k / part_length].
struct ReferenceRow {
    uint32_t part_length = 32;
    bool has_minimum = false;
    std::vector<int8_t> q;     // offset taken off
    std::vector<float> scale;  // of each part
    std::vector<float> minimum;
    std::vector<float> value;  // instead, for F32, F16 and BF16
};

ReferenceRow read_reference_row(const WeightType &type, const uint8_t *row, uint32_t columns);

// Activations of one token; see QuantizedRows.
struct ReferenceToken {
    const int8_t *q;
    const float *scale;
    const float *x_float;
};

float reference_product(const ReferenceRow &row, const ReferenceToken &x, uint32_t columns);

}  // namespace llm::test
