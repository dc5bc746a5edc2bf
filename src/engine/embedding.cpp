#include "engine/embedding.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace llm {

bool is_pooled(Pooling pooling, uint32_t token, uint32_t count) {
    if (pooling == Pooling::first) return token == 0;
    if (pooling == Pooling::last) return token + 1 == count;
    return true;
}

void pool(std::span<float> out, std::span<const float> vectors, Pooling pooling) {
    if (pooling != Pooling::mean) {
        std::copy(vectors.begin(), vectors.end(), out.begin());
        return;
    }
    const size_t width = out.size(), count = vectors.size() / width;
    for (size_t i = 0; i < width; ++i) {
        double sum = 0.0;  // in the order of the tokens
        for (size_t token = 0; token < count; ++token) sum += vectors[token * width + i];
        out[i] = static_cast<float>(sum / static_cast<double>(count));
    }
}

void finish_embedding(std::span<float> vector, bool normalized) {
    double squares = 0.0;  // of floats, so it cannot overflow
    for (const float element : vector) squares += double{element} * element;
    if (!std::isfinite(squares)) fail(LLM_ERROR_NONFINITE, "the embedding holds a value that is not finite");
    if (!normalized || squares == 0.0) return;
    const double length = std::sqrt(squares);
    for (float &element : vector) element = static_cast<float>(element / length);
}

}  // namespace llm
