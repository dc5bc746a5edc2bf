// The C API with RAII and exceptions, for tests that evaluate.
#pragma once

#include <llm/llm.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace llm::test {

inline std::string last_error() {
    std::string text(1024, '\0');
    size_t length = 0;
    llm_last_error(text.data(), text.size(), &length);
    text.resize(length);
    return text;
}

inline void check(llm_status status) {
    if (status != LLM_OK) throw std::runtime_error(std::string(llm_status_name(status)) + ": " + last_error());
}

struct Close {
    void operator()(llm_model *model) const { llm_model_close(model); }
    void operator()(llm_context *context) const { llm_context_close(context); }
    void operator()(llm_batch *batch) const { llm_batch_close(batch); }
    void operator()(llm_sampler *sampler) const { llm_sampler_close(sampler); }
    void operator()(llm_generation *generation) const { llm_generation_close(generation); }
};
using ModelPointer = std::unique_ptr<llm_model, Close>;
using ContextPointer = std::unique_ptr<llm_context, Close>;
using BatchPointer = std::unique_ptr<llm_batch, Close>;
using SamplerPointer = std::unique_ptr<llm_sampler, Close>;
using GenerationPointer = std::unique_ptr<llm_generation, Close>;

inline ModelPointer open_model(const std::string &path, const llm_model_options *options = nullptr) {
    llm_model *model = nullptr;
    check(llm_model_open(&model, path.c_str(), options));
    return ModelPointer(model);
}

inline ModelPointer open_model(std::span<const uint8_t> bytes, const llm_model_options *options = nullptr) {
    llm_model *model = nullptr;
    check(llm_model_open_memory(&model, bytes.data(), bytes.size(), options));
    return ModelPointer(model);
}

inline BatchPointer new_batch() {
    llm_batch *batch = nullptr;
    check(llm_batch_new(&batch));
    return BatchPointer(batch);
}

// The most precise settings unless changed.
inline llm_context_options precise_options(int32_t context_length, int32_t threads = 2) {
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    options.context_length = context_length;
    options.threads = threads;
    options.cache_type_k = options.cache_type_v = LLM_CACHE_F32;
    return options;
}

// One sequence of one context.
class Session {
public:
    Session(llm_model *model, const llm_context_options &options) {
        llm_context *context = nullptr;
        check(llm_context_new(&context, model, &options));
        context_.reset(context);
        llm_context_info info = LLM_CONTEXT_INFO_INIT;
        check(llm_context_get_info(&info, context));
        vocabulary_size_ = info.vocabulary_size;
    }

    llm_context *get() const { return context_.get(); }
    uint32_t vocabulary_size() const { return vocabulary_size_; }
    void clear() { check(llm_sequence_truncate(context_.get(), 0, 0)); }

    // Logits of every token: [tokens][vocabulary].
    std::vector<float> evaluate_all(std::span<const llm_token> tokens) {
        check(llm_eval(context_.get(), 0, tokens.data(), tokens.size(), LLM_EVAL_LOGITS_ALL));
        return rows(tokens.size());
    }

    // Logits of the last token.
    std::vector<float> evaluate(std::span<const llm_token> tokens) {
        check(llm_eval(context_.get(), 0, tokens.data(), tokens.size(), 0));
        return rows(1);
    }

    // The first rows of logits of the last evaluation.
    std::vector<float> rows(size_t count) {
        std::vector<float> out;
        for (size_t row = 0; row < count; ++row) {
            const float *logits = nullptr;
            check(llm_logits(&logits, context_.get(), static_cast<int32_t>(row)));
            out.insert(out.end(), logits, logits + vocabulary_size_);
        }
        return out;
    }

private:
    ContextPointer context_;
    uint32_t vocabulary_size_ = 0;
};

inline llm_token arg_max(std::span<const float> logits) {
    size_t best = 0;
    for (size_t i = 1; i < logits.size(); ++i)
        if (logits[i] > logits[best]) best = i;
    return static_cast<llm_token>(best);
}

}  // namespace llm::test
