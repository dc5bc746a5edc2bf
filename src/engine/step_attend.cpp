// Attention over the pages of the cache.
#include "engine/steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace llm {

namespace {

constexpr uint32_t most_query_rows = 72;  // a multiple of what kernels take at once, for most group sizes
constexpr uint32_t pages_per_split = split_positions / page_positions;

size_t aligned_floats(size_t count) { return (count + 15) / 16 * 16; }

// The first position that a token sees.
uint32_t first_visible(const AttendStep &step, uint32_t position) {
    return step.window != 0 && position >= step.window ? position + 1 - step.window : 0;
}

uint32_t split_count(uint32_t positions) { return (positions + split_positions - 1) / split_positions; }

// What the kernel makes of a part of the past, for each row.
struct AttentionPart {
    float *maximum, *sum, *weighted;

    AttentionPart from_row(uint32_t row, uint32_t head_length) const {
        return {maximum + row, sum + row, weighted + size_t{row} * head_length};
    }
};

// Query rows of one key-value head and what becomes of them: pieces of a thread's scratch.
struct QueryRows {
    uint32_t count, head_length;
    float *query;  // [count][head_length]
    uint32_t *begin, *end;
    AttentionPart past, next;  // the parts so far, and the next one
    float *kernel_scratch;

    QueryRows(float *scratch, uint32_t rows, uint32_t length) : count(rows), head_length(length) {
        const size_t scalars = aligned_floats(rows), vectors = aligned_floats(size_t{rows} * length);
        const auto take = [&scratch](size_t floats) {
            float *taken = scratch;
            scratch += floats;
            return taken;
        };
        query = take(vectors);
        begin = reinterpret_cast<uint32_t *>(take(scalars));
        end = reinterpret_cast<uint32_t *>(take(scalars));
        for (AttentionPart *part : {&past, &next}) *part = {take(scalars), take(scalars), take(vectors)};
        kernel_scratch = scratch;
    }

    static size_t floats(uint32_t rows, uint32_t length) {
        return 6 * aligned_floats(rows) + 3 * aligned_floats(size_t{rows} * length);
    }
};

// Attention of the rows over the part [begin, end) of a sequence's past; `same_queries` as for the kernel.
void attend_part(const Workspace &workspace, const AttendStep &step, const QueryRows &rows, uint32_t sequence,
                 uint32_t head, uint32_t begin, uint32_t end, bool same_queries, const AttentionPart &part) {
    const KvCache &cache = *workspace.cache;
    const PageList &pages = cache.pages(step.layer, sequence);
    const void *key_pages[pages_per_split];
    const void *value_pages[pages_per_split];
    const uint32_t first_page = begin / page_positions;
    for (uint32_t page = first_page; page * page_positions < end; ++page) {
        key_pages[page - first_page] = cache.key_page(step.layer, head, pages[page]);
        value_pages[page - first_page] = cache.value_page(step.layer, head, pages[page]);
    }
    AttentionArgs args = {};
    args.key_type = cache.key_type();
    args.value_type = cache.value_type();
    args.query = rows.query;
    args.query_stride = rows.head_length;
    args.same_queries = same_queries;
    args.row_count = rows.count;
    args.head_length = rows.head_length;
    args.row_begin = rows.begin;
    args.row_end = rows.end;
    args.begin = begin;
    args.end = end;
    args.key_pages = key_pages;
    args.value_pages = value_pages;
    args.scale = step.scale;
    args.softcap = step.softcap;
    args.maximum = part.maximum;
    args.sum = part.sum;
    args.weighted = part.weighted;
    args.scratch = rows.kernel_scratch;
    workspace.kernels->attention(args);
}

// Copies the queries of one key-value head, out of all of a row.
void load_queries(float *to, const HeadShape &shape, const float *row, uint32_t head) {
    const uint32_t group = shape.head_count / shape.head_count_kv;
    const float *from = row + size_t{head} * group * shape.key_length;
    for (uint32_t i = 0; i < group; ++i, from += shape.key_length, to += shape.head_length) {
        std::copy_n(from, shape.key_length, to);
        std::fill_n(to + shape.key_length, shape.head_length - shape.key_length, 0.0f);
    }
}

// Fetches the place of a result early: the rows of a batch lie too far apart for the hardware to foresee them.
void fetch_place(const float *values, uint32_t count) {
    constexpr uint32_t line_floats = 16;
    for (uint32_t i = 0; i < count; i += line_floats) __builtin_prefetch(values + i, 1);
}

// Divides the weighted sums of neighbouring query heads by the sums of their weights, into their places in a row of the
// result, or only into its quantized form. A sink is merged first, like a part of its own.
void write_outputs(const Workspace &workspace, const AttendStep &step, uint32_t row, uint32_t first_head,
                   uint32_t head_count, const AttentionPart &part) {
    static constexpr float no_values[512] = {};
    const BufferMemory &out = workspace[step.out];
    const uint32_t length = step.shape.value_length, padded = step.shape.head_length;
    const uint32_t first = first_head * length;
    float *const values = out.has_values ? out.row(row) + first : part.weighted;
    for (uint32_t i = 0; i < head_count; ++i) {
        float *weighted = part.weighted + size_t{i} * padded;
        if (step.sinks)
            workspace.kernels->attention_merge(&part.maximum[i], &part.sum[i], weighted, step.sinks[first_head + i],
                                               1.0f, no_values, padded);
        const float factor = 1.0f / part.sum[i];
        float *to = values + size_t{i} * length;  // not behind `weighted`
        for (uint32_t d = 0; d < length; ++d) to[d] = weighted[d] * factor;
    }
    if (AttendPlanStep::has_whole_blocks(step.shape)) workspace.quantize(out, row, first, head_count * length, values);
}

}  // namespace

// ---- AttendPlanStep -----------------------------------------------------------------------------------------------

AttendPlanStep::AttendPlanStep(const Workspace &workspace, Rows rows, const AttendStep &step, uint32_t batch_size)
    : PlanStep(workspace, rows), step_(step) {
    const uint32_t group = step.shape.head_count / step.shape.head_count_kv;
    most_rows_ = std::max(1u, most_query_rows / group) * group;
    tiles_.reserve(batch_size);
}

size_t AttendPlanStep::part_floats(const HeadShape &shape, uint32_t context_length) {
    return split_count(context_length) * shape.head_count * aligned_floats(shape.head_length + 2);
}

size_t AttendPlanStep::scratch_bytes() const {
    const uint32_t length = step_.shape.head_length;
    return (QueryRows::floats(most_rows_, length) + workspace_.kernels->attention_scratch_floats(most_rows_, length)) *
           sizeof(float);
}

uint32_t AttendPlanStep::prepare() {
    split_ = rows().count() == 1;
    keeps_rows_ = false;
    if (split_) {
        const uint32_t position = rows().position[0];
        first_split_ = first_visible(step_, position) / split_positions;
        part_count_ = split_count(rows().end[0]) - first_split_;
        return part_count_ * step_.shape.head_count_kv;
    }
    make_tiles();
    return static_cast<uint32_t>(tiles_.size()) * step_.shape.head_count_kv;
}

void AttendPlanStep::make_tiles() {
    const uint32_t count = rows().count();
    const uint32_t kv_heads = step_.shape.head_count_kv;
    const uint32_t most = most_rows_ / (step_.shape.head_count / kv_heads);
    // Enough chunks for all threads, as large as the kernels like them.
    const uint32_t wanted = (count * kv_heads + 4 * workspace_.thread_count - 1) / (4 * workspace_.thread_count);
    const uint32_t tile_rows = std::clamp(wanted, 1u, most);
    const RowOrder order = RowOrder::of_batch(count, workspace_.thread_count);
    keeps_rows_ = order.is_dealt_out();
    tiles_.clear();
    for (uint32_t i = 0; i < order.block_count(); ++i) {
        const RowRange block = order.block(i);
        for (uint32_t row = block.first; row < block.end(); ++row) {
            const uint32_t sequence = rows().sequence[row];
            if (row == block.first || tiles_.back().sequence != sequence || tiles_.back().row_count == tile_rows)
                tiles_.push_back({row, 0, sequence});
            ++tiles_.back().row_count;
        }
    }
    // The last rows see the longest past: in a batch that is not dealt out, they go first.
    if (!keeps_rows_) std::reverse(tiles_.begin(), tiles_.end());
}

void AttendPlanStep::run(uint32_t chunk, uint32_t slot) const {
    const uint32_t kv_heads = step_.shape.head_count_kv;
    if (split_)  // head by head: their parts follow each other in memory
        run_part(chunk % part_count_, chunk / part_count_, slot);
    else
        run_tile(tiles_[chunk / kv_heads], chunk % kv_heads, slot);
}

void AttendPlanStep::run_tile(const Tile &tile, uint32_t head, uint32_t slot) const {
    const uint32_t length = step_.shape.head_length;
    const uint32_t group = step_.shape.head_count / step_.shape.head_count_kv;
    const QueryRows query(reinterpret_cast<float *>(workspace_.scratch[slot]), tile.row_count * group, length);
    const BufferMemory &queries = workspace_[step_.queries], &out = workspace_[step_.out];
    for (uint32_t i = 0; i < tile.row_count; ++i) {
        const uint32_t row = tile.first_row + i;
        load_queries(query.query + size_t{i} * group * length, step_.shape, queries.row(row), head);
        if (out.has_values)
            fetch_place(out.row(row) + size_t{head} * group * step_.shape.value_length,
                        group * step_.shape.value_length);
        for (uint32_t j = i * group; j < (i + 1) * group; ++j) {
            query.begin[j] = first_visible(step_, rows().position[row]);
            query.end[j] = rows().end[row];
        }
    }

    const uint32_t past = rows().end[tile.first_row + tile.row_count - 1];
    const uint32_t start = query.begin[0] / page_positions * page_positions;
    for (uint32_t begin = start; begin < past;) {
        const uint32_t end = std::min((begin / split_positions + 1) * split_positions, past);
        const bool is_first = begin == start;
        attend_part(workspace_, step_, query, tile.sequence, head, begin, end, !is_first,
                    is_first ? query.past : query.next);
        const auto &[maximum, sum, weighted] = query.past;
        for (uint32_t j = 0; !is_first && j < query.count; ++j)
            workspace_.kernels->attention_merge(&maximum[j], &sum[j], weighted + size_t{j} * length,
                                                query.next.maximum[j], query.next.sum[j],
                                                query.next.weighted + size_t{j} * length, length);
        begin = end;
    }

    for (uint32_t i = 0; i < tile.row_count; ++i)
        write_outputs(workspace_, step_, tile.first_row + i, head * group, group,
                      query.past.from_row(i * group, length));
}

// A part's record for each query head: weighted [head_length], maximum, sum.
void AttendPlanStep::run_part(uint32_t part, uint32_t head, uint32_t slot) const {
    const uint32_t length = step_.shape.head_length;
    const uint32_t group = step_.shape.head_count / step_.shape.head_count_kv;
    const QueryRows query(reinterpret_cast<float *>(workspace_.scratch[slot]), group, length);
    load_queries(query.query, step_.shape, workspace_[step_.queries].row(0), head);
    const uint32_t past = rows().end[0];
    for (uint32_t j = 0; j < group; ++j) {
        query.begin[j] = first_visible(step_, rows().position[0]);
        query.end[j] = past;
    }
    const uint32_t split = first_split_ + part;
    const uint32_t begin = std::max(split * split_positions, query.begin[0] / page_positions * page_positions);
    attend_part(workspace_, step_, query, rows().sequence[0], head, begin,
                std::min((split + 1) * split_positions, past), false, query.past);
    const auto &[maximum, sum, weighted] = query.past;
    if (part_count_ == 1) {
        write_outputs(workspace_, step_, 0, head * group, group, query.past);
        return;
    }
    const size_t record = aligned_floats(length + 2);
    float *out = workspace_.attention_parts + (size_t{part} * step_.shape.head_count + size_t{head} * group) * record;
    for (uint32_t j = 0; j < group; ++j, out += record) {
        std::memcpy(out, weighted + size_t{j} * length, length * sizeof(float));
        out[length] = maximum[j];
        out[length + 1] = sum[j];
    }
}

// ---- MergePartsPlanStep -------------------------------------------------------------------------------------------

uint32_t MergePartsPlanStep::prepare() {
    if (rows().count() != 1) return 0;
    const uint32_t position = rows().position[0];
    part_count_ = split_count(rows().end[0]) - first_visible(step_, position) / split_positions;
    return part_count_ > 1 ? step_.shape.head_count : 0;
}

void MergePartsPlanStep::run(uint32_t head, uint32_t) const {
    const uint32_t length = step_.shape.head_length;
    const size_t record = aligned_floats(length + 2);
    float *first = workspace_.attention_parts + head * record;
    for (uint32_t part = 1; part < part_count_; ++part) {
        const float *next = first + size_t{part} * step_.shape.head_count * record;
        workspace_.kernels->attention_merge(&first[length], &first[length + 1], first, next[length], next[length + 1],
                                            next, length);
    }
    write_outputs(workspace_, step_, 0, head, 1, {&first[length], &first[length + 1], first});
}

}  // namespace llm
