#include "engine/context.h"

#include "base/error.h"
#include "base/log.h"
#include "engine/embedding.h"

#include <algorithm>

namespace llm {

namespace {

constexpr uint32_t default_context_length = 4096;
constexpr uint32_t default_batch_size = 512;

const Graph &graph_of(const Model &model) {
    if (const Graph *graph = model.graph()) return *graph;
    fail(LLM_ERROR_STATE, "the model was opened without its weights");
}

uint32_t chosen_context_length(const Model &model, const ContextOptions &options) {
    const uint32_t trained = model.parameters().context_length;
    const uint32_t length =
        options.context_length != 0 ? options.context_length : std::min(trained, default_context_length);
    if (const uint32_t limit = graph_of(model).position_limit; limit != 0 && length > limit)
        fail(LLM_ERROR_ARGUMENT, "the context length is ", length, ", but the model knows only ", limit, " positions");
    return length;
}

// An encoder sees its whole input at once.
uint32_t chosen_batch_size(const Model &model, const ContextOptions &options) {
    const uint32_t context_length = chosen_context_length(model, options);
    const uint32_t usual = graph_of(model).encoding ? context_length : default_batch_size;
    return std::min(options.batch_size != 0 ? options.batch_size : usual, context_length);
}

KvCacheShape cache_shape(const Model &model, const ContextOptions &options) {
    KvCacheShape shape{.layers = cache_layers(graph_of(model)),
                       .context_length = chosen_context_length(model, options),
                       .sequence_count = options.sequence_count,
                       .batch_size = chosen_batch_size(model, options),
                       .key_type = options.key_type,
                       .value_type = options.value_type};
    if (options.keeps_all)
        for (CacheLayer &layer : shape.layers) layer.window = 0;
    return shape;
}

}  // namespace

Context::Context(std::shared_ptr<const Model> model, const ContextOptions &options)
    : model_(std::move(model)),
      memory_(options.max_memory, options.allocator),
      cache_bytes_(KvCache::memory_bytes(cache_shape(*model_, options))),
      cache_(cache_shape(*model_, options), memory_),
      idle_(options.idle),
      team_(std::make_unique<ThreadTeam>(resolve_thread_count(options.thread_count), idle_)),
      plan_(graph_of(*model_), cache_, model_->kernels(), *team_, chosen_batch_size(*model_, options), memory_) {
    make_room_for_logits(1);
    log(LLM_LOG_INFO, "context made: ", sequence_count(), " sequences of ", context_length(), " tokens, ",
        cache_bytes(), " bytes of cache, ", scratch_bytes(), " of scratch, ", thread_count(), " threads");
}

void Context::set_thread_count(uint32_t thread_count) {
    auto team = std::make_unique<ThreadTeam>(resolve_thread_count(thread_count), idle_);
    plan_.set_team(*team, memory_);
    team_ = std::move(team);
}

bool Context::evaluate(uint32_t sequence, std::span<const llm_token> tokens, WantedLogits wanted) {
    const auto start = Counters::Clock::now();
    if (graph_of(*model_).encoding) fail(LLM_ERROR_STATE, "the model is an encoder, which has no logits");
    const uint32_t past = cache_.length(sequence);
    if (tokens.size() > context_length() - past)
        fail(LLM_ERROR_CONTEXT_FULL, "sequence ", sequence, " holds ", past, " of ", context_length(),
             " tokens, no room for ", tokens.size(), " more");
    const auto count = static_cast<uint32_t>(tokens.size());
    const uint32_t rows = wanted == WantedLogits::all ? count : wanted == WantedLogits::last ? 1 : 0;
    logits_rows_ = 0;
    make_room_for_logits(rows);
    bool done = false;
    try {
        done = compute(sequence, tokens, rows);
    } catch (...) {
        cache_.roll_back(sequence);
        throw;
    }
    if (!done) {
        cache_.roll_back(sequence);
        cancel_.store(false, std::memory_order_relaxed);
        return false;
    }
    cache_.commit(sequence);
    logits_rows_ = rows;
    counters_.count_evaluation(count, count > 1, start);
    counters_.count_length(past + count);
    return true;
}

void Context::truncate(uint32_t sequence, uint32_t length) {
    const uint32_t shortest = cache_.shortest_length(sequence);
    if (length != 0 && length < shortest)
        fail(LLM_ERROR_STATE, "sequence ", sequence, " can be shortened to ", shortest,
             " tokens or more, or to 0, not to ", length, ": layers with a window have lost what is before");
    cache_.shorten(sequence, length);
}

// The last `wanted_rows` tokens get logits.
bool Context::compute(uint32_t sequence, std::span<const llm_token> tokens, uint32_t wanted_rows) {
    const uint32_t past = cache_.length(sequence);
    const size_t first_wanted = tokens.size() - wanted_rows;
    auto *logits = reinterpret_cast<float *>(logits_memory_.data());
    for (size_t first = 0; first < tokens.size(); first += plan_.batch_size()) {
        const size_t last = std::min<size_t>(first + plan_.batch_size(), tokens.size());
        Batch &batch = plan_.batch();
        batch.clear();
        for (size_t i = first; i < last; ++i) {
            const uint32_t position = past + static_cast<uint32_t>(i);
            batch.add(tokens[i], sequence, position, position + 1, i >= first_wanted);
        }
        cache_.extend(sequence, batch.all.count());
        batch.logits = logits;
        logits += size_t{batch.outputs.count()} * model_->parameters().vocabulary_size;
        if (!plan_.run(&cancel_)) return false;
    }
    return true;
}

const Encoding &Context::encoding() const {
    const std::optional<Encoding> &encoding = graph_of(*model_).encoding;
    if (!encoding) fail(LLM_ERROR_STATE, "the model is no encoder, it has no embeddings of texts");
    return *encoding;
}

size_t Context::embedding_floats(size_t token_count, Pooling pooling) const {
    return model_->parameters().embedding_length * (pooling == Pooling::none ? token_count : 1);
}

bool Context::embed(std::span<const llm_token> tokens, Pooling pooling, bool normalized) {
    const auto start = Counters::Clock::now();
    const Buffer vectors = encoding().vectors;
    if (tokens.size() > batch_size())
        fail(LLM_ERROR_CONTEXT_FULL, "the input has ", tokens.size(), " tokens, the context can encode ", batch_size(),
             " at once");
    // Nothing remains of the input: its sequence keeps the length 0.
    constexpr uint32_t sequence = 0;
    const auto count = static_cast<uint32_t>(tokens.size());
    cache_.roll_back(sequence);
    cache_.extend(sequence, count);
    embedding_.resize(embedding_floats(count, pooling));
    Batch &batch = plan_.batch();
    batch.clear();
    for (uint32_t i = 0; i < count; ++i) batch.add(tokens[i], sequence, i, count, is_pooled(pooling, i, count));
    if (!plan_.run(&cancel_)) {
        cancel_.store(false, std::memory_order_relaxed);
        return false;
    }
    pool(embedding_, plan_.rows(vectors, batch.outputs.count()), pooling);
    const size_t width = embedding_floats(1, pooling);
    for (size_t first = 0; first < embedding_.size(); first += width)
        finish_embedding(std::span(embedding_).subspan(first, width), normalized);
    counters_.count_evaluation(count, true, start);
    counters_.count_length(count);
    return true;
}

void Context::make_room_for_logits(uint32_t rows) {
    const size_t wanted = size_t{rows} * model_->parameters().vocabulary_size * sizeof(float);
    if (wanted > logits_memory_.size()) logits_memory_ = Arena(wanted, "the logits", memory_);
}

}  // namespace llm
