// Attention over the pages of the key-value cache, one query row and one position at a time: the definition that the
// other tiers are compared with.
#include "base/half.h"
#include "kernels/fill.h"
#include "kernels/scalar/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace llm::scalar {

namespace {

constexpr uint32_t tile_positions = 16;

float norm_of(const float *x, uint32_t count) {
    float lanes[lane_count] = {};
    for (uint32_t i = 0; i < count; ++i) lanes[i % lane_count] = std::fma(x[i], x[i], lanes[i % lane_count]);
    return std::sqrt(reduce16(lanes));
}

float largest_magnitude(const float *x, uint32_t count) {
    float largest = 0.0f;
    for (uint32_t i = 0; i < count && !std::isnan(largest); ++i)
        if (!(std::fabs(x[i]) <= largest)) largest = std::fabs(x[i]);
    return largest;
}

void to_integers(int16_t *out, const float *x, uint32_t count, float factor) {
    for (uint32_t i = 0; i < count; ++i) out[i] = static_cast<int16_t>(std::nearbyint(x[i] * factor));
}

#include "kernels/attention_integers.inc"

float to_float(float x) { return x; }
float to_float(Half x) { return half_to_float(x.bits); }
float to_float(BrainFloat x) { return bfloat_to_float(x.bits); }
void narrow(float &out, float x) { out = x; }
void narrow(Half &out, float x) { out.bits = float_to_half(x); }
void narrow(BrainFloat &out, float x) { out.bits = float_to_bfloat(x); }

// Place of dimension 0 of position j of a page of keys; the next dimension is tile_positions further.
uint32_t key_offset(uint32_t j, uint32_t head_length) {
    return j / tile_positions * tile_positions * head_length + j % tile_positions;
}

// The visible positions of one row in one page: first <= j < last.
struct Span {
    uint32_t first;
    uint32_t last;
};

Span visible_span(const AttentionArgs &args, uint32_t row, uint32_t page_begin) {
    uint32_t first = args.row_begin[row];
    uint32_t last = args.row_end[row];
    if (first < page_begin) first = page_begin;
    if (last > args.end) last = args.end;
    if (last > page_begin + page_positions) last = page_begin + page_positions;
    if (first >= last) return {0, 0};
    return {first - page_begin, last - page_begin};
}

// A number for each position of a page.
using PerPosition = float[page_positions];

// ---- Scores of the positions of a span, before the softcap --------------------------------------------------------

using ScorePage = void (*)(PerPosition &s, const AttentionArgs &args, const float *query, const void *page, Span span);

template <class Key>
void score_floats(PerPosition &s, const AttentionArgs &args, const float *query, const void *page, Span span) {
    for (uint32_t j = span.first; j < span.last; ++j) {
        const Key *key = static_cast<const Key *>(page) + key_offset(j, args.head_length);
        float sum = 0.0f;
        for (uint32_t d = 0; d < args.head_length; ++d)
            sum = std::fma(query[d], to_float(key[d * tile_positions]), sum);
        s[j] = sum * args.scale;
    }
}

template <class Key>
void score_integers(PerPosition &s, const AttentionArgs &args, const float *query, const void *page, Span span) {
    const uint32_t head_length = args.head_length;
    const uint32_t block = block_length_of<Key>(head_length);
    const float *scales = page_scales<Key>(page);
    const Key *keys = page_integers<Key>(page, head_length);
    int16_t q[most_head_length];
    const float query_scale = norm16(q, query, head_length) * args.scale;
    for (uint32_t j = span.first; j < span.last; ++j) {
        s[j] = 0.0f;
        for (uint32_t first = 0; first < head_length; first += block) {
            int32_t sum = 0;
            for (uint32_t d = first; d < std::min(first + block, head_length); ++d)
                sum += q[d] * keys[key_place(j, d, head_length)];
            s[j] = std::fma(static_cast<float>(sum), scales[first / block * page_positions + j] * query_scale, s[j]);
        }
    }
}

constexpr ScorePage score_page[cache_type_slots] = {score_integers<int16_t>, score_floats<Half>, score_floats<float>,
                                                    score_floats<BrainFloat>, score_integers<int8_t>};

// ---- Values weighed with p ----------------------------------------------------------------------------------------

using WeighPage = void (*)(float *weighted, uint32_t head_length, const PerPosition &p, const void *page, Span span);

template <class Value>
void weigh_floats(float *weighted, uint32_t head_length, const PerPosition &p, const void *page, Span span) {
    const auto *values = static_cast<const Value *>(page);
    for (uint32_t j = span.first; j < span.last; ++j)
        for (uint32_t d = 0; d < head_length; ++d)
            weighted[d] = std::fma(p[j], to_float(values[j * head_length + d]), weighted[d]);
}

float sum64(const PerPosition &p) {
    float lanes[lane_count];
    for (uint32_t i = 0; i < lane_count; ++i) lanes[i] = ((p[i] + p[i + 16]) + p[i + 32]) + p[i + 48];
    return reduce16(lanes);
}

template <class Value>
void weigh_integers(float *weighted, uint32_t head_length, const PerPosition &p, const void *page, Span span) {
    const uint32_t block = block_length_of<Value>(head_length);
    const float *scales = page_scales<Value>(page);
    const Value *values = page_integers<Value>(page, head_length);
    for (uint32_t first = 0; first < head_length; first += block, scales += page_positions) {
        PerPosition w = {};
        for (uint32_t j = span.first; j < span.last; ++j) w[j] = p[j] * scales[j];
        const Scaling scaling = scaling_for(sum64(w), limit16);
        int16_t u[page_positions];
        scale_to_integers(u, w, page_positions, scaling.factor);
        for (uint32_t d = first; d < std::min(first + block, head_length); ++d) {
            int32_t sum = 0;
            for (uint32_t j = span.first; j < span.last; ++j) sum += u[j] * values[value_place(j, d, head_length)];
            weighted[d] = std::fma(static_cast<float>(sum), scaling.scale, weighted[d]);
        }
    }
}

constexpr WeighPage weigh_page[cache_type_slots] = {weigh_integers<int16_t>, weigh_floats<Half>, weigh_floats<float>,
                                                    weigh_floats<BrainFloat>, weigh_integers<int8_t>};

// ---- The walk -----------------------------------------------------------------------------------------------------

// Turns the scores of the span into exponentials relative to the new maximum, and brings the row's results to it.
void apply_softmax(PerPosition &p, Span span, uint32_t head_length, float &maximum, float &sum, float *weighted) {
    float m = maximum;
    for (uint32_t j = span.first; j < span.last; ++j)
        if (p[j] > m) m = p[j];
    m += 0.0f;
    if (m > maximum) {
        const float factor = exp(maximum - m);
        sum *= factor;
        for (uint32_t d = 0; d < head_length; ++d) weighted[d] *= factor;
    }
    maximum = m;
    for (uint32_t j = 0; j < page_positions; ++j)
        p[j] = j >= span.first && j < span.last ? exp_of_negative(p[j] - m) : 0.0f;
    sum += sum64(p);
}

void attend_page(const AttentionArgs &args, uint32_t row, Span span, const void *keys, const void *values) {
    float *weighted = args.weighted + size_t{row} * args.head_length;
    PerPosition p;
    score_page[static_cast<uint32_t>(args.key_type)](p, args, args.query + row * args.query_stride, keys, span);
    for (uint32_t j = span.first; j < span.last && args.softcap != 0.0f; ++j) p[j] = soft_capped(p[j], args.softcap);
    apply_softmax(p, span, args.head_length, args.maximum[row], args.sum[row], weighted);
    weigh_page[static_cast<uint32_t>(args.value_type)](weighted, args.head_length, p, values, span);
}

void attention(const AttentionArgs &args) {
    for (uint32_t row = 0; row < args.row_count; ++row) {
        args.maximum[row] = -infinity;
        args.sum[row] = 0.0f;
        for (uint32_t d = 0; d < args.head_length; ++d) args.weighted[size_t{row} * args.head_length + d] = 0.0f;
        for (uint32_t begin = args.begin; begin < args.end; begin += page_positions) {
            const uint32_t page = (begin - args.begin) / page_positions;
            const Span span = visible_span(args, row, begin);
            if (span.first != span.last) attend_page(args, row, span, args.key_pages[page], args.value_pages[page]);
        }
    }
}

size_t attention_scratch_floats(uint32_t, uint32_t) { return 0; }

void attention_merge(float *maximum_a, float *sum_a, float *weighted_a, float maximum_b, float sum_b,
                     const float *weighted_b, uint32_t head_length) {
    if (maximum_b == -infinity) return;
    if (*maximum_a == -infinity) {
        *maximum_a = maximum_b;
        *sum_a = sum_b;
        for (uint32_t d = 0; d < head_length; ++d) weighted_a[d] = weighted_b[d];
        return;
    }
    const float m = maximum_b > *maximum_a ? maximum_b : *maximum_a;
    const float factor_a = exp(*maximum_a - m);
    const float factor_b = exp(maximum_b - m);
    *maximum_a = m;
    *sum_a = std::fma(sum_b, factor_b, *sum_a * factor_a);
    for (uint32_t d = 0; d < head_length; ++d)
        weighted_a[d] = std::fma(weighted_b[d], factor_b, weighted_a[d] * factor_a);
}

template <class Element>
void store_key(void *page, uint32_t position, const float *key, uint32_t head_length) {
    Element *out = static_cast<Element *>(page) + key_offset(position % page_positions, head_length);
    for (uint32_t d = 0; d < head_length; ++d) narrow(out[d * tile_positions], key[d]);
}

template <class Element>
void store_value(void *page, uint32_t position, const float *value, uint32_t head_length) {
    Element *out = static_cast<Element *>(page) + position % page_positions * head_length;
    for (uint32_t d = 0; d < head_length; ++d) narrow(out[d], value[d]);
}

template <class Element>
void fill_float_stores(KernelTable &table, CacheType type) {
    table.store_key[static_cast<uint32_t>(type)] = store_key<Element>;
    table.store_value[static_cast<uint32_t>(type)] = store_value<Element>;
}

}  // namespace

void fill_attention(KernelTable &table) {
    fill_float_stores<Half>(table, CacheType::f16);
    fill_float_stores<float>(table, CacheType::f32);
    fill_float_stores<BrainFloat>(table, CacheType::bf16);
    fill_integer_stores(table);
    table.attention = attention;
    table.attention_scratch_floats = attention_scratch_floats;
    table.attention_merge = attention_merge;
}

}  // namespace llm::scalar
