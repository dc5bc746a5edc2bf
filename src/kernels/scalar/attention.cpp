// Attention over the pages of the key-value cache, one query row and one position at a time: the definition that the
// other tiers are compared with.
#include "base/half.h"
#include "kernels/fill.h"
#include "kernels/scalar/elementary.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace llm::scalar {

namespace {

constexpr uint32_t tile_positions = 16;

// The elements of a cache: float as it is, uint16_t a half float.
float to_float(float x) { return x; }
float to_float(uint16_t x) { return half_to_float(x); }
void narrow(float &out, float x) { out = x; }
void narrow(uint16_t &out, float x) { out = float_to_half(x); }

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

template <class Key>
float score(const AttentionArgs &args, const float *query, const Key *key) {
    float sum = 0.0f;
    for (uint32_t d = 0; d < args.head_length; ++d) sum = std::fma(query[d], to_float(key[d * tile_positions]), sum);
    sum *= args.scale;
    return args.softcap == 0.0f ? sum : soft_capped(sum, args.softcap);
}

// Turns the scores of the span into exponentials relative to the new maximum, and brings the row's results to it.
void apply_softmax(float (&p)[page_positions], Span span, uint32_t head_length, float &maximum, float &sum,
                   float *weighted) {
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
    for (uint32_t j = 0; j < page_positions; ++j) p[j] = j >= span.first && j < span.last ? exp(p[j] - m) : 0.0f;
    float lanes[lane_count];
    for (uint32_t i = 0; i < lane_count; ++i) lanes[i] = ((p[i] + p[i + 16]) + p[i + 32]) + p[i + 48];
    sum += reduce16(lanes);
}

template <class Key, class Value>
void attend_page(const AttentionArgs &args, uint32_t row, Span span, const Key *keys, const Value *values) {
    const uint32_t head_length = args.head_length;
    const float *query = args.query + row * args.query_stride;
    float *weighted = args.weighted + size_t{row} * head_length;
    float p[page_positions];
    for (uint32_t j = span.first; j < span.last; ++j) p[j] = score(args, query, keys + key_offset(j, head_length));
    apply_softmax(p, span, head_length, args.maximum[row], args.sum[row], weighted);
    for (uint32_t j = span.first; j < span.last; ++j)
        for (uint32_t d = 0; d < head_length; ++d)
            weighted[d] = std::fma(p[j], to_float(values[j * head_length + d]), weighted[d]);
}

template <class Key, class Value>
void attention(const AttentionArgs &args) {
    for (uint32_t row = 0; row < args.row_count; ++row) {
        args.maximum[row] = -infinity;
        args.sum[row] = 0.0f;
        for (uint32_t d = 0; d < args.head_length; ++d) args.weighted[size_t{row} * args.head_length + d] = 0.0f;
        for (uint32_t begin = args.begin; begin < args.end; begin += page_positions) {
            const uint32_t page = (begin - args.begin) / page_positions;
            const Span span = visible_span(args, row, begin);
            if (span.first == span.last) continue;
            attend_page(args, row, span, static_cast<const Key *>(args.key_pages[page]),
                        static_cast<const Value *>(args.value_pages[page]));
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

}  // namespace

void fill_attention(KernelTable &table) {
    constexpr auto f16 = static_cast<uint32_t>(CacheType::f16);
    constexpr auto f32 = static_cast<uint32_t>(CacheType::f32);
    table.store_key[f16] = store_key<uint16_t>;
    table.store_key[f32] = store_key<float>;
    table.store_value[f16] = store_value<uint16_t>;
    table.store_value[f32] = store_value<float>;
    table.attention[f16][f16] = attention<uint16_t, uint16_t>;
    table.attention[f16][f32] = attention<uint16_t, float>;
    table.attention[f32][f16] = attention<float, uint16_t>;
    table.attention[f32][f32] = attention<float, float>;
    table.attention_scratch_floats = attention_scratch_floats;
    table.attention_merge = attention_merge;
}

}  // namespace llm::scalar
