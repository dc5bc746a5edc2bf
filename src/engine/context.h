// Sequences that are being evaluated, with their key-value cache and all memory that evaluation needs.
#pragma once

#include "base/arena.h"
#include "base/thread_team.h"
#include "engine/counters.h"
#include "engine/model.h"
#include "engine/plan.h"
#include "engine/run_list.h"
#include "engine/state.h"
#include "model/kv_cache.h"

#include <atomic>
#include <memory>
#include <optional>
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

// What a context of such options reserves: cache_bytes() and scratch_bytes(). The weights need not be loaded.
struct ContextMemory {
    uint64_t cache_bytes, scratch_bytes;
    PlanShape plan;
    uint32_t sequence_count;
};
ContextMemory context_memory(const Blueprint &model, const KernelTable &kernels, const ContextOptions &options);

// One thread at a time, except for cancel().
class Context {
public:
    Context(std::shared_ptr<const Model> model, const ContextOptions &options);

    const Model &model() const { return *model_; }
    const std::shared_ptr<const Model> &shared_model() const { return model_; }
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
    // Makes `to` a copy of `from`, another sequence.
    void fork(uint32_t from, uint32_t to);
    // Shortens a sequence to what it has in common with the text, the text's last token not counted, or to nothing
    // when it cannot be shortened to that. Returns its new length.
    uint32_t reuse_prefix(uint32_t sequence, std::span<const llm_token> text);

    // A sequence as bytes, see state.h. LLM_ERROR_STATE when the model is an encoder.
    size_t state_bytes(uint32_t sequence) const;
    uint64_t most_state_bytes() const;  // that any sequence can have
    void save_state(uint32_t sequence, std::span<uint8_t> out) const;
    // Replaces a sequence by a saved one, or changes nothing. Besides the statuses of check_state(): LLM_ERROR_MODEL,
    // LLM_ERROR_STATE for other cache types, LLM_ERROR_CONTEXT_FULL.
    void restore_state(uint32_t sequence, std::span<const uint8_t> state);

    // Appends tokens, which must be ids of the vocabulary. All or nothing; LLM_ERROR_CONTEXT_FULL, and false when it
    // was cancelled.
    bool evaluate(std::span<const Run> runs);
    bool evaluate(uint32_t sequence, std::span<const llm_token> tokens, WantedLogits wanted) {
        const Run run{sequence, tokens, wanted};
        return evaluate(std::span(&run, 1));
    }

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

    // Rows of logits of the last evaluation, in the order of its tokens.
    size_t logits_rows() const { return logits_rows_; }
    std::span<const float> logits(size_t row) const {
        const size_t vocabulary = model_->parameters().vocabulary_size;
        return {reinterpret_cast<const float *>(logits_memory_.data()) + row * vocabulary, vocabulary};
    }
    // The row of a sequence's last token, if it is one of them.
    std::optional<size_t> last_row(uint32_t sequence) const { return sequences_[sequence].last_row; }

private:
    struct Sequence {
        std::vector<llm_token> text;  // capacity reserved for the context length
        std::optional<size_t> last_row;
    };

    StateHeader state_header(uint32_t length) const;
    bool compute(std::span<const Run> runs);
    void append_texts(std::span<const Run> runs);
    void commit(std::span<const Run> runs);
    void roll_back(std::span<const Run> runs);
    void count(std::span<const Run> runs, Counters::Clock::time_point start);
    void make_room_for_logits(size_t rows);

    std::shared_ptr<const Model> model_;
    MemoryProvider memory_;
    uint64_t cache_bytes_;
    KvCache cache_;
    std::chrono::microseconds idle_;
    std::unique_ptr<ThreadTeam> team_;
    Plan plan_;
    Arena logits_memory_;  // float [rows][vocabulary]
    size_t logits_rows_ = 0;
    std::vector<Sequence> sequences_;
    std::vector<float> embedding_;
    Counters counters_;
    std::atomic<bool> cancel_{false};
};

}  // namespace llm
