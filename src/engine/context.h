// Sequences that are being evaluated, with their key-value cache and all memory that evaluation needs.
#pragma once

#include "base/arena.h"
#include "base/thread_team.h"
#include "engine/counters.h"
#include "engine/model.h"
#include "engine/plan.h"
#include "model/kv_cache.h"

#include <atomic>
#include <memory>
#include <span>
#include <vector>

namespace llm {

struct ContextOptions {
    uint32_t context_length = 0, batch_size = 0, thread_count = 0;  // 0: the default
    CacheType key_type = CacheType::q16, value_type = CacheType::q16;
    uint32_t sequence_count = 1;
    bool keeps_all = false;   // of layers with a window, too
    uint64_t max_memory = 0;  // of the cache, intermediate results and logits together; 0: no limit
    HostAllocator allocator = {};
    std::chrono::microseconds idle = ThreadTeam::default_linger;
};

enum class WantedLogits { none, last, all };

// One thread at a time, except for cancel().
class Context {
public:
    Context(std::shared_ptr<const Model> model, const ContextOptions &options);

    const Model &model() const { return *model_; }
    uint32_t context_length() const { return cache_.context_length(); }
    uint32_t batch_size() const { return plan_.batch_size(); }
    uint32_t sequence_count() const { return cache_.sequence_count(); }
    uint32_t thread_count() const { return team_->size(); }
    // LLM_ERROR_NO_MEMORY, with nothing changed.
    void set_thread_count(uint32_t thread_count);
    uint64_t cache_bytes() const { return cache_bytes_; }
    uint64_t scratch_bytes() const { return plan_.memory_bytes() + logits_memory_.size(); }

    uint32_t length(uint32_t sequence) const { return cache_.length(sequence); }
    // To no more than its length. LLM_ERROR_STATE when the cache has lost what the next token would need.
    void truncate(uint32_t sequence, uint32_t length);

    // Appends tokens, which must be ids of the vocabulary. All or nothing; LLM_ERROR_CONTEXT_FULL, and false when it
    // was cancelled.
    bool evaluate(uint32_t sequence, std::span<const llm_token> tokens, WantedLogits wanted);

    // LLM_ERROR_STATE unless the model is an encoder.
    const Encoding &encoding() const;
    // Floats of the embedding of that many tokens.
    size_t embedding_floats(size_t token_count, Pooling pooling) const;
    // Computes the embedding of an input that is not empty, each vector divided by its Euclidean length if that is
    // wanted. No sequence changes. LLM_ERROR_CONTEXT_FULL, LLM_ERROR_NONFINITE, and false when it was cancelled.
    bool embed(std::span<const llm_token> tokens, Pooling pooling, bool normalized);
    // The last one.
    std::span<const float> embedding() const { return embedding_; }

    Counters &counters() { return counters_; }

    void cancel() { cancel_.store(true, std::memory_order_relaxed); }

    // Rows of logits of the last evaluation.
    uint32_t logits_rows() const { return logits_rows_; }
    std::span<const float> logits(uint32_t row) const {
        const size_t vocabulary = model_->parameters().vocabulary_size;
        return {reinterpret_cast<const float *>(logits_memory_.data()) + row * vocabulary, vocabulary};
    }

private:
    bool compute(uint32_t sequence, std::span<const llm_token> tokens, uint32_t wanted_rows);
    void make_room_for_logits(uint32_t rows);

    std::shared_ptr<const Model> model_;
    MemoryProvider memory_;
    uint64_t cache_bytes_;
    KvCache cache_;
    std::chrono::microseconds idle_;
    std::unique_ptr<ThreadTeam> team_;
    Plan plan_;
    Arena logits_memory_;  // float [rows][vocabulary]
    uint32_t logits_rows_ = 0;
    std::vector<float> embedding_;
    Counters counters_;
    std::atomic<bool> cancel_{false};
};

}  // namespace llm
