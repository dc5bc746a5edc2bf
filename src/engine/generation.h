// Continues a sequence token by token, as text.
#pragma once

#include "engine/context.h"
#include "sampler/sampler.h"
#include "tokenizer/stop_matcher.h"
#include "tokenizer/stream_decoder.h"
#include "tokenizer/text_decoder.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llm {

struct GenerationOptions {
    uint32_t sequence = 0;
    uint32_t most_tokens = 0;  // 0: until the context is full
    bool wants_logprob = false;
    std::vector<std::string> stops;
};

class Generation {
public:
    struct Chunk {
        std::string text;
        llm_token token = LLM_TOKEN_NONE;
        llm_finish_reason finish_reason = LLM_FINISH_NONE;
        float logprob = 0.0f;
    };
    enum class Result { chunk, end, cancelled };

    // LLM_ERROR_STATE when there is neither a prompt nor logits to start from.
    Generation(std::shared_ptr<Context> context, std::shared_ptr<Sampler> sampler, std::vector<llm_token> prompt,
               GenerationOptions options);

    Context &context() { return *context_; }
    Sampler &sampler() { return *sampler_; }

    // Fills `chunk` when the result is `chunk`. After an exception or `cancelled` it may be called again.
    Result next(Chunk &chunk);

private:
    bool evaluate_pending();
    bool is_stop(llm_token token) const;
    float logprob(llm_token token) const;
    // The text that has come so far: everything that a chosen token changes.
    struct Text {
        TextDecoder tokens;
        StreamDecoder bytes;
        StopMatcher stops;
    };
    void append(Text &text, llm_token token, Chunk &chunk) const;
    static void finish(Text &text, Chunk &chunk, llm_finish_reason reason);

    std::shared_ptr<Context> context_;
    std::shared_ptr<Sampler> sampler_;
    GenerationOptions options_;
    std::vector<llm_token> pending_;  // to be evaluated before the next token is chosen
    uint32_t generated_ = 0;
    std::optional<Counters::Clock::time_point> first_call_;  // of next()
    bool ended_ = false;
    std::optional<llm_token> chosen_;  // by a call that failed afterwards
    std::unique_ptr<Text> text_;
};

}  // namespace llm
