#include "engine/context.h"

#include "base/error.h"
#include "base/log.h"
#include "engine/embedding.h"

#include <algorithm>

namespace llm {

namespace {

constexpr uint32_t default_context_length = 4096;
constexpr uint32_t default_batch_size = 512;

const Blueprint &blueprint_of(const Model &model) {
    if (const Blueprint *blueprint = model.blueprint()) return *blueprint;
    fail(LLM_ERROR_STATE, "the model was opened without its weights");
}

const Graph &graph_of(const Model &model) { return blueprint_of(model).graph; }

uint32_t chosen_context_length(const Blueprint &model, const ContextOptions &options) {
    const uint32_t trained = model.parameters.context_length;
    const uint32_t length =
        options.context_length != 0 ? options.context_length : std::min(trained, default_context_length);
    if (const uint32_t limit = model.graph.position_limit; limit != 0 && length > limit)
        fail(LLM_ERROR_ARGUMENT, "the context length is ", length, ", but the model knows only ", limit, " positions");
    return length;
}

// At most what all sequences hold together. An encoder sees its whole input, one sequence, at once.
uint32_t chosen_batch_size(const Blueprint &model, const ContextOptions &options) {
    const uint32_t context_length = chosen_context_length(model, options);
    const bool is_encoder = model.graph.encoding.has_value();
    const uint32_t usual = is_encoder ? context_length : default_batch_size;
    const uint64_t most = uint64_t{context_length} * (is_encoder ? 1 : options.sequence_count);
    return static_cast<uint32_t>(std::min<uint64_t>(options.batch_size != 0 ? options.batch_size : usual, most));
}

KvCacheShape cache_shape(const Blueprint &model, const ContextOptions &options) {
    return {.layers = cache_layers(model.graph),
            .context_length = chosen_context_length(model, options),
            .sequence_count = options.sequence_count,
            .batch_size = chosen_batch_size(model, options),
            .key_type = options.key_type,
            .value_type = options.value_type,
            .keeps_all = options.keeps_all};
}

}  // namespace

ContextMemory context_memory(const Blueprint &model, const KernelTable &kernels, const ContextOptions &options) {
    const PlanShape plan{chosen_context_length(model, options), chosen_batch_size(model, options),
                         resolve_thread_count(options.thread_count)};
    return {.cache_bytes = KvCache::memory_bytes(cache_shape(model, options)),
            .scratch_bytes = Plan::memory_bytes(model.graph, kernels, plan) +
                             uint64_t{model.parameters.vocabulary_size} * sizeof(float),
            .plan = plan,
            .sequence_count = options.sequence_count};
}

Context::Context(std::shared_ptr<const Model> model, const ContextOptions &options)
    : model_(std::move(model)),
      memory_(options.max_memory, options.allocator),
      cache_bytes_(KvCache::memory_bytes(cache_shape(blueprint_of(*model_), options))),
      cache_(cache_shape(blueprint_of(*model_), options), memory_),
      idle_(options.idle),
      team_(std::make_unique<ThreadTeam>(resolve_thread_count(options.thread_count), idle_)),
      plan_(graph_of(*model_), cache_, model_->kernels(), *team_, chosen_batch_size(blueprint_of(*model_), options),
            memory_),
      sequences_(options.sequence_count) {
    for (Sequence &sequence : sequences_) sequence.text.reserve(context_length());
    make_room_for_logits(1);
    log(LLM_LOG_INFO, "context made: ", sequence_count(), " sequences of ", context_length(), " tokens, ",
        cache_bytes(), " bytes of cache, ", scratch_bytes(), " of scratch, ", thread_count(), " threads");
}

void Context::set_thread_count(uint32_t thread_count) {
    auto team = std::make_unique<ThreadTeam>(resolve_thread_count(thread_count), idle_);
    plan_.set_team(*team, memory_);
    team_ = std::move(team);
}

bool Context::evaluate(std::span<const Run> runs) {
    const auto start = Counters::Clock::now();
    if (graph_of(*model_).encoding) fail(LLM_ERROR_STATE, "the model is an encoder, which has no logits");
    logits_rows_ = 0;
    for (Sequence &sequence : sequences_) sequence.last_row.reset();
    bool done = false;
    try {
        append_texts(runs);
        size_t rows = 0;
        for (const Run &run : runs) rows += run.row_count();
        make_room_for_logits(rows);
        done = compute(runs);
    } catch (...) {
        roll_back(runs);
        throw;
    }
    if (!done) {
        roll_back(runs);
        cancel_.store(false, std::memory_order_relaxed);
        return false;
    }
    commit(runs);
    count(runs, start);
    return true;
}

void Context::append_texts(std::span<const Run> runs) {
    for (const Run &run : runs) {
        std::vector<llm_token> &text = sequences_[run.sequence].text;
        if (run.tokens.size() > context_length() - text.size())
            fail(LLM_ERROR_CONTEXT_FULL, "sequence ", run.sequence, " holds ", text.size(), " of ", context_length(),
                 " tokens, no room for ", run.tokens.size(), " more");
        text.insert(text.end(), run.tokens.begin(), run.tokens.end());
    }
}

// Fills one batch after the other, across runs.
bool Context::compute(std::span<const Run> runs) {
    Batch &batch = plan_.batch();
    auto *logits = reinterpret_cast<float *>(logits_memory_.data());
    const auto run_plan = [&] {
        batch.logits = logits;
        logits += size_t{batch.outputs.count()} * model_->parameters().vocabulary_size;
        const bool done = plan_.run(&cancel_);
        batch.clear();
        return done;
    };
    batch.clear();
    for (const Run &run : runs) {
        const size_t first_wanted = run.tokens.size() - run.row_count();
        for (size_t first = 0; first < run.tokens.size();) {
            const size_t last = std::min<size_t>(first + batch_size() - batch.all.count(), run.tokens.size());
            uint32_t position = cache_.end(run.sequence);
            cache_.extend(run.sequence, static_cast<uint32_t>(last - first));
            for (; first < last; ++first, ++position)
                batch.add(run.tokens[first], run.sequence, position, position + 1, first >= first_wanted);
            if (batch.all.count() == batch_size() && !run_plan()) return false;
        }
    }
    return batch.all.count() == 0 || run_plan();
}

void Context::commit(std::span<const Run> runs) {
    for (const Run &run : runs) {
        if (run.tokens.empty()) continue;
        cache_.commit(run.sequence);
        logits_rows_ += run.row_count();
        std::optional<size_t> &last_row = sequences_[run.sequence].last_row;
        last_row.reset();
        if (run.wanted != WantedLogits::none) last_row = logits_rows_ - 1;
    }
}

void Context::count(std::span<const Run> runs, Counters::Clock::time_point start) {
    uint64_t tokens = 0;
    bool is_prompt = false;
    for (const Run &run : runs) {
        tokens += run.tokens.size();
        is_prompt = is_prompt || run.tokens.size() > 1;
        counters_.count_length(cache_.length(run.sequence));
    }
    counters_.count_evaluation(tokens, is_prompt, start);
}

void Context::roll_back(std::span<const Run> runs) {
    for (const Run &run : runs) {
        cache_.roll_back(run.sequence);
        sequences_[run.sequence].text.resize(cache_.length(run.sequence));
    }
}

void Context::truncate(uint32_t sequence, uint32_t length) {
    const uint32_t shortest = cache_.shortest_length(sequence);
    if (length != 0 && length < shortest)
        fail(LLM_ERROR_STATE, "sequence ", sequence, " can be shortened to ", shortest,
             " tokens or more, or to 0, not to ", length, ": layers with a window have lost what is before");
    if (length < cache_.length(sequence)) sequences_[sequence].last_row.reset();
    cache_.shorten(sequence, length);
    sequences_[sequence].text.resize(length);
}

void Context::fork(uint32_t from, uint32_t to) {
    cache_.fork(from, to);
    const std::vector<llm_token> &text = sequences_[from].text;
    sequences_[to].text.assign(text.begin(), text.end());
    sequences_[to].last_row = sequences_[from].last_row;
}

uint32_t Context::reuse_prefix(uint32_t sequence, std::span<const llm_token> text) {
    const std::vector<llm_token> &held = sequences_[sequence].text;
    const size_t most = std::min(held.size(), text.empty() ? 0 : text.size() - 1);
    const auto same = std::mismatch(text.begin(), text.begin() + static_cast<ptrdiff_t>(most), held.begin()).first;
    auto kept = static_cast<uint32_t>(same - text.begin());
    if (kept < cache_.shortest_length(sequence)) kept = 0;
    truncate(sequence, kept);
    counters_.reused_tokens += kept;
    return kept;
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

void Context::make_room_for_logits(size_t rows) {
    const size_t wanted = rows * model_->parameters().vocabulary_size * sizeof(float);
    if (wanted > logits_memory_.size()) logits_memory_ = Arena(wanted, "the logits", memory_);
}

}  // namespace llm
