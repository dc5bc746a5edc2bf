#include "engine/generation.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace llm {

Generation::Generation(std::shared_ptr<Context> context, std::shared_ptr<Sampler> sampler,
                       std::vector<llm_token> prompt, GenerationOptions options)
    : context_(std::move(context)),
      sampler_(std::move(sampler)),
      options_(std::move(options)),
      pending_(std::move(prompt)),
      text_(new Text{{context_->model().tokenizer()->vocabulary(), false, TextDecoder::inside_text},
                     {},
                     StopMatcher(options_.stops)}) {
    if (pending_.empty() && context_->logits_rows() == 0)
        fail(LLM_ERROR_STATE, "a generation needs a prompt, or logits of an evaluation before it");
    std::string of_prompt;  // the text goes on from the prompt's last token
    if (!pending_.empty()) text_->tokens.append(of_prompt, pending_.back());
    pending_.reserve(1);
}

Generation::Result Generation::next(Chunk &chunk) {
    if (ended_) return Result::end;
    chunk = Chunk{};
    if (generated_ > 0 && context_->length(options_.sequence) + pending_.size() > context_->context_length()) {
        auto text = std::make_unique<Text>(*text_);
        finish(*text, chunk, LLM_FINISH_CONTEXT_FULL);
        ended_ = true;
        return Result::chunk;
    }
    if (generated_ == 0 && !first_call_) first_call_ = Counters::Clock::now();
    if (!evaluate_pending()) return Result::cancelled;

    if (!chosen_) chosen_ = sampler_->sample(context_->logits(context_->logits_rows() - 1));
    const llm_token token = *chosen_;
    chunk.token = token;
    if (options_.wants_logprob) chunk.logprob = logprob(token);
    // On a copy, so that a call without memory has changed nothing.
    auto text = std::make_unique<Text>(*text_);
    append(*text, token, chunk);

    text_ = std::move(text);
    chosen_.reset();
    pending_.assign(1, token);
    ended_ = chunk.finish_reason != LLM_FINISH_NONE;
    if (++generated_ == 1) context_->counters().first_token_nanoseconds = Counters::nanoseconds_since(*first_call_);
    return Result::chunk;
}

void Generation::append(Text &text, llm_token token, Chunk &chunk) const {
    if (context_->model().tokenizer()->ends_generation(token)) return finish(text, chunk, LLM_FINISH_END_TOKEN);
    if (is_stop(token)) return finish(text, chunk, LLM_FINISH_STOP);
    std::string piece;
    text.tokens.append(piece, token);
    chunk.text = text.stops.push(text.bytes.push(piece));
    if (text.stops.stopped())
        chunk.finish_reason = LLM_FINISH_STOP;
    else if (generated_ + 1 == options_.most_tokens)
        finish(text, chunk, LLM_FINISH_LENGTH);
}

bool Generation::evaluate_pending() {
    if (pending_.empty()) return true;
    if (!context_->evaluate(options_.sequence, pending_, WantedLogits::last)) return false;
    pending_.clear();
    return true;
}

// A stop text that spells a control token means that token, which has no text in which it could be found.
bool Generation::is_stop(llm_token token) const {
    const TokenInfo info = context_->model().tokenizer()->info(token);
    if ((info.attributes & (LLM_TOKEN_CONTROL | LLM_TOKEN_UNKNOWN)) == 0) return false;
    return std::ranges::find(options_.stops, info.text) != options_.stops.end();
}

// ln(softmax(logits)[token])
float Generation::logprob(llm_token token) const {
    const std::span<const float> logits = context_->logits(context_->logits_rows() - 1);
    const float maximum = *std::max_element(logits.begin(), logits.end());
    const float sum = context_->model().kernels().sum_exp(logits.data(), static_cast<uint32_t>(logits.size()), maximum);
    return logits[static_cast<size_t>(token)] - maximum - std::log(sum);
}

// Ends the text: what decoder and stop matcher held back belongs to it after all.
void Generation::finish(Text &text, Chunk &chunk, llm_finish_reason reason) {
    chunk.finish_reason = reason;
    chunk.text += text.stops.push(text.bytes.finish());
    if (text.stops.stopped())
        chunk.finish_reason = LLM_FINISH_STOP;
    else
        chunk.text += text.stops.finish();
}

}  // namespace llm
