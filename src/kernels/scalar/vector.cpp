// Vector operations, one element at a time: the definition that the other tiers are compared with.
#include "kernels/fill.h"
#include "kernels/scalar/elementary.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace llm::scalar {

namespace {

// Rounds to nearest, ties to even, for |x| < 2^22: the sum's last place is 1.
int32_t round_to_integer(float x) {
    constexpr float shift = approximation::shift;
    return static_cast<int32_t>(std::bit_cast<uint32_t>(x + shift) - std::bit_cast<uint32_t>(shift));
}

// The largest magnitude, a NaN being larger than infinity: that is the order of the bits.
float largest_magnitude(const float *x, uint32_t count) {
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t bits = std::bit_cast<uint32_t>(x[i]) & 0x7fffffffu;
        if (bits > largest) largest = bits;
    }
    return std::bit_cast<float>(largest);
}

void quantize_block(int8_t *q, float *scale, int32_t *sum, const float *x) {
    const float a = largest_magnitude(x, 32);
    const float factor = 127.0f / a;
    const bool usable = factor > 0.0f && factor < infinity;
    *scale = usable ? a / 127.0f : a;
    for (uint32_t half = 0; half < 2; ++half) {
        sum[half] = 0;
        for (uint32_t i = half * 16; i < half * 16 + 16; ++i) {
            const int32_t rounded = usable ? round_to_integer(x[i] * factor) : 0;
            q[i] = static_cast<int8_t>(rounded);
            sum[half] += rounded;
        }
    }
}

void quantize(int8_t *q, float *scale, int32_t *sum, const float *x, uint32_t count) {
    for (uint32_t block = 0; block < count / 32; ++block)
        quantize_block(q + block * 32, scale + block, sum + block * 2, x + block * 32);
}

void rms_norm(float *out, const float *x, const float *weight, uint32_t count, float epsilon) {
    float lanes[lane_count] = {};
    for (uint32_t i = 0; i < count; ++i) lanes[i % lane_count] = std::fma(x[i], x[i], lanes[i % lane_count]);
    const float mean = reduce16(lanes) / static_cast<float>(count);
    const float factor = 1.0f / std::sqrt(mean + epsilon);
    for (uint32_t i = 0; i < count; ++i) out[i] = (x[i] * factor) * weight[i];
}

void layer_norm(float *out, const float *x, const float *weight, const float *bias, uint32_t count, float epsilon) {
    float sums[lane_count] = {};
    for (uint32_t i = 0; i < count; ++i) sums[i % lane_count] += x[i];
    const float mean = reduce16(sums) / static_cast<float>(count);
    float squares[lane_count] = {};
    for (uint32_t i = 0; i < count; ++i) {
        const float d = x[i] - mean;
        squares[i % lane_count] = std::fma(d, d, squares[i % lane_count]);
    }
    const float factor = 1.0f / std::sqrt(reduce16(squares) / static_cast<float>(count) + epsilon);
    for (uint32_t i = 0; i < count; ++i) {
        const float normed = (x[i] - mean) * factor;
        out[i] = bias ? std::fma(normed, weight[i], bias[i]) : normed * weight[i];
    }
}

void add(float *out, const float *x, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) out[i] += x[i];
}

void silu_multiply(float *gate, const float *up, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) gate[i] = silu(gate[i]) * up[i];
}

void gelu_multiply(float *gate, const float *up, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) gate[i] = gelu(gate[i]) * up[i];
}

void clamped_silu_multiply(float *gate, const float *up, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) gate[i] = clamped_silu(gate[i], up[i]);
}

void silu_all(float *x, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) x[i] = silu(x[i]);
}

void gelu_all(float *x, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) x[i] = gelu(x[i]);
}

void gelu_erf_all(float *x, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) x[i] = gelu_erf(x[i]);
}

void softcap(float *x, uint32_t count, float cap) {
    for (uint32_t i = 0; i < count; ++i) x[i] = soft_capped(x[i], cap);
}

void rotate(float &a, float &b, float cosine, float sine) {
    const float old_a = a;
    a = std::fma(old_a, cosine, -(b * sine));
    b = std::fma(old_a, sine, b * cosine);
}

void rope_adjacent(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    for (uint32_t i = 0; i < pair_count; ++i) rotate(x[2 * i], x[2 * i + 1], cosines[i], sines[i]);
}

void rope_halves(float *x, const float *cosines, const float *sines, uint32_t pair_count) {
    for (uint32_t i = 0; i < pair_count; ++i) rotate(x[i], x[i + pair_count], cosines[i], sines[i]);
}

uint32_t arg_max(const float *x, uint32_t count) {
    uint32_t index = count;
    float largest = -infinity;
    for (uint32_t i = 0; i < count; ++i) {
        if (!(x[i] > largest)) continue;
        largest = x[i];
        index = i;
    }
    return index;
}

float sum_exp(const float *x, uint32_t count, float maximum) {
    float lanes[lane_count] = {};
    for (uint32_t i = 0; i < count; ++i) lanes[i % lane_count] += exp(x[i] - maximum);
    return reduce16(lanes);
}

}  // namespace

void fill_vector(KernelTable &table) {
    table.quantize = quantize;
    table.rms_norm = rms_norm;
    table.layer_norm = layer_norm;
    table.add = add;
    table.silu_multiply = silu_multiply;
    table.gelu_multiply = gelu_multiply;
    table.clamped_silu_multiply = clamped_silu_multiply;
    table.silu = silu_all;
    table.gelu = gelu_all;
    table.gelu_erf = gelu_erf_all;
    table.softcap = softcap;
    table.rope_adjacent = rope_adjacent;
    table.rope_halves = rope_halves;
    table.arg_max = arg_max;
    table.sum_exp = sum_exp;
}

}  // namespace llm::scalar
