// Attention over the pages of the key-value cache with AVX-512: for each page, the query rows that see something of it
// are computed in blocks. Half floats are widened as they are loaded: that is faster than to keep them as floats.
#include "kernels/avx512/attention_blocks.h"
#include "kernels/avx512/elementary.h"
#include "kernels/fill.h"

namespace llm::avx512 {

namespace {

constexpr float minus_infinity = -__builtin_inff();

// Positions or rows first <= i < last.
struct Range {
    uint32_t first;
    uint32_t last;
};

uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
uint32_t greatest(uint32_t a, uint32_t b) { return a > b ? a : b; }

// What a row sees of the page, relative to the page; first >= last when it sees nothing.
Range visible_positions(const AttentionArgs &args, uint32_t row, uint32_t page_begin) {
    const uint32_t first = greatest(args.row_begin[row], page_begin);
    const uint32_t last = least(least(args.row_end[row], args.end), page_begin + page_positions);
    return {first - page_begin, greatest(first, last) - page_begin};
}

// The rows from the first to the last that see something of the page.
Range visible_rows(const AttentionArgs &args, uint32_t page_begin) {
    Range rows = {0, args.row_count};
    const auto is_blind = [&](uint32_t row) {
        const Range seen = visible_positions(args, row, page_begin);
        return seen.first >= seen.last;
    };
    while (rows.first < rows.last && is_blind(rows.first)) ++rows.first;
    while (rows.first < rows.last && is_blind(rows.last - 1)) --rows.last;
    return rows;
}

// One page on its way through the steps.
struct Page {
    const AttentionArgs &args;
    uint32_t begin;     // its first position
    Range rows;         // that see something of it
    uint32_t row_step;  // rows of a block
    const void *keys;
    const void *values;
    const void *next;  // keys of the page after it
};

float *scores_of(const Page &page, uint32_t row) { return page.args.scratch + size_t{row} * page_positions; }

float *weighted_of(const Page &page, uint32_t row) { return page.args.weighted + size_t{row} * page.args.head_length; }

// The first block prefetches the values.
template <class Key>
void score_page(const Page &page) {
    const AttentionArgs &args = page.args;
    const auto *keys = static_cast<const Key *>(page.keys);
    const void *ahead = page.values;
    for (uint32_t row = page.rows.first; row < page.rows.last; row += page.row_step) {
        const uint32_t rows = least(page.row_step, page.rows.last - row);
        score_block<Key>[rows - 1](scores_of(page, row), args.query + row * args.query_stride, args.query_stride, keys,
                                   ahead, args.head_length, args.scale);
        ahead = keys;
    }
}

// Brings a row to the new maximum.
void rescale(float *weighted, uint32_t head_length, float factor) {
    for (uint32_t d = 0; d < head_length; d += 16) {
        const __mmask16 mask = first_lanes(head_length - d);
        const __m512 v = _mm512_maskz_loadu_ps(mask, weighted + d);
        _mm512_mask_storeu_ps(weighted + d, mask, _mm512_mul_ps(v, _mm512_set1_ps(factor)));
    }
}

// Turns the scores of a row into exponentials relative to the row's new maximum, +0 where it does not see.
LLM_SIMD void softmax_row(const Page &page, uint32_t row) {
    const AttentionArgs &args = page.args;
    const Range seen = visible_positions(args, row, page.begin);
    if (seen.first >= seen.last) return;
    float *p = scores_of(page, row);
    const uint64_t mask = (~uint64_t{0} >> (page_positions - (seen.last - seen.first))) << seen.first;
    __m512 s[page_tiles];
    __m512 largest = _mm512_set1_ps(minus_infinity);
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        s[t] = _mm512_loadu_ps(p + t * tile_positions);
        if (args.softcap != 0.0f) s[t] = soft_capped(s[t], _mm512_set1_ps(args.softcap));
        // With a NaN, max gives its second operand.
        largest = _mm512_mask_max_ps(largest, static_cast<__mmask16>(mask >> (t * tile_positions)), s[t], largest);
    }
    const float old_maximum = args.maximum[row];
    const float page_maximum = _mm512_reduce_max_ps(largest);
    const float maximum = (page_maximum > old_maximum ? page_maximum : old_maximum) + 0.0f;
    if (maximum > old_maximum && old_maximum > minus_infinity) {
        const float factor = exp(old_maximum - maximum);
        args.sum[row] *= factor;
        rescale(weighted_of(page, row), args.head_length, factor);
    }
    args.maximum[row] = maximum;
    LLM_UNROLL
    for (uint32_t t = 0; t < page_tiles; ++t) {
        s[t] = exp_of_negative(_mm512_sub_ps(s[t], _mm512_set1_ps(maximum)),
                               static_cast<__mmask16>(mask >> (t * tile_positions)));
        _mm512_storeu_ps(p + t * tile_positions, s[t]);
    }
    args.sum[row] += reduce16(_mm512_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), s[2]), s[3]));
}

void softmax_page(const Page &page) {
    for (uint32_t row = page.rows.first; row < page.rows.last; ++row) softmax_row(page, row);
}

// Adds the values that the rows of a block see: those that all of them see together, what is before and after row by
// row. Values that a row does not see are not touched for it: a zero times an infinity would be a NaN.
template <class Value>
void weigh_ragged_block(const Page &page, uint32_t row, uint32_t rows, const void *ahead) {
    const auto *values = static_cast<const Value *>(page.values);
    const auto weigh = [&](uint32_t from, uint32_t count, uint32_t first, uint32_t last, const void *prefetched) {
        if (first >= last) return;
        weigh_block<Value>[count - 1](weighted_of(page, from), scores_of(page, from), values, prefetched,
                                      page.args.head_length, first, last);
    };
    Range seen[block_rows];
    Range common = {0, page_positions};
    for (uint32_t r = 0; r < rows; ++r) {
        seen[r] = visible_positions(page.args, row + r, page.begin);
        common = {greatest(common.first, seen[r].first), least(common.last, seen[r].last)};
    }
    if (common.first >= common.last) common = {page_positions, page_positions};
    for (uint32_t r = 0; r < rows; ++r) weigh(row + r, 1, seen[r].first, least(seen[r].last, common.first), values);
    weigh(row, rows, common.first, common.last, ahead);
    for (uint32_t r = 0; r < rows; ++r) weigh(row + r, 1, greatest(seen[r].first, common.last), seen[r].last, values);
}

// The first block prefetches the next page.
template <class Value>
void weigh_page(const Page &page) {
    const void *ahead = page.next;
    for (uint32_t row = page.rows.first; row < page.rows.last; row += page.row_step) {
        weigh_ragged_block<Value>(page, row, least(page.row_step, page.rows.last - row), ahead);
        ahead = page.values;
    }
}

void clear_results(const AttentionArgs &args) {
    for (uint32_t row = 0; row < args.row_count; ++row) {
        args.maximum[row] = minus_infinity;
        args.sum[row] = 0.0f;
    }
    __builtin_memset(args.weighted, 0, size_t{args.row_count} * args.head_length * sizeof(float));
}

template <class Key, class Value>
void attention(const AttentionArgs &args) {
    clear_results(args);
    for (uint32_t begin = args.begin; begin < args.end; begin += page_positions) {
        const Range rows = visible_rows(args, begin);
        if (rows.first == rows.last) continue;
        const uint32_t index = (begin - args.begin) / page_positions;
        const uint32_t next = begin + page_positions < args.end ? index + 1 : index;
        const uint32_t count = rows.last - rows.first;
        const uint32_t blocks = (count + block_rows - 1) / block_rows;
        const Page page = {args,
                           begin,
                           rows,
                           (count + blocks - 1) / blocks,
                           args.key_pages[index],
                           args.value_pages[index],
                           args.key_pages[next]};
        score_page<Key>(page);
        softmax_page(page);
        weigh_page<Value>(page);
    }
}

size_t attention_scratch_floats(uint32_t row_count, uint32_t) { return size_t{row_count} * page_positions; }

}  // namespace

void fill_attention(KernelTable &table) {
    constexpr auto f16 = static_cast<uint32_t>(CacheType::f16);
    constexpr auto f32 = static_cast<uint32_t>(CacheType::f32);
    table.attention[f16][f16] = attention<uint16_t, uint16_t>;
    table.attention[f16][f32] = attention<uint16_t, float>;
    table.attention[f32][f16] = attention<float, uint16_t>;
    table.attention[f32][f32] = attention<float, float>;
    table.attention_scratch_floats = attention_scratch_floats;
}

}  // namespace llm::avx512
