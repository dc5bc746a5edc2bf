#include "compare_rows.h"

#include "child_process.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cli {
namespace {

using Row = std::span<const float>;
using RowReader = std::function<void(Row)>;

constexpr std::size_t most_rows = 64;  // with logits at once

// FNV-1a of 64 bits, but over words of 32 bits instead of bytes.
std::uint64_t digest(Row row) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const float value : row) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
    return hash;
}

class Evaluation {
public:
    Evaluation(const Comparison &comparison, const Variant &variant) : comparison_(comparison) {
        check(llm_cpu_select(variant.tier.c_str()));
        const Options &options = comparison.options;
        model_ = options.open_model(LLM_MODEL_OPTIONS_INIT);
        const llm_model_info info = model_info(model_.get());
        embeds_ = (info.capabilities & LLM_MODEL_EMBEDS) != 0;
        width_ = embeds_ ? info.embedding_length : info.vocabulary_size;
        ids_ = tokenize(model_.get(), comparison.text, LLM_TOKENIZE_ADD_SPECIAL);
        if (ids_.empty()) throw std::runtime_error("the text has no tokens");

        llm_context_options settings = LLM_CONTEXT_OPTIONS_INIT;
        options.apply(settings);
        settings.threads = std::int32_t(variant.threads);
        const std::size_t length = ids_.size() + comparison.predicted;
        if (settings.context_length == 0)
            settings.context_length = std::int32_t(std::min<std::size_t>(length, INT32_MAX));
        context_ = new_context(model_.get(), settings);
    }

    // Gives all rows, in their order.
    void run(const RowReader &read_row) {
        if (embeds_) return embed(read_row);
        for (std::size_t done = 0; done < ids_.size();) {
            const std::size_t count = std::min(most_rows, ids_.size() - done);
            check(llm_eval(context_.get(), 0, ids_.data() + done, count, LLM_EVAL_LOGITS_ALL));
            for (std::size_t i = 0; i < count; i++) read_row(logits(std::int32_t(i)));
            done += count;
        }
        for (std::size_t i = 0; i < comparison_.predicted; i++) {
            const Row last = logits(-1);
            const auto token = llm_token(std::max_element(last.begin(), last.end()) - last.begin());
            check(llm_eval(context_.get(), 0, &token, 1, 0));
            read_row(logits(-1));
        }
    }

private:
    Row logits(std::int32_t row) {
        const float *values = nullptr;
        check(llm_logits(&values, context_.get(), row));
        return {values, width_};
    }

    void embed(const RowReader &read_row) {
        const auto values = fill<std::vector<float>>([&](float *out, std::size_t capacity, std::size_t *count) {
            return llm_embed(out, capacity, count, context_.get(), ids_.data(), ids_.size(), LLM_POOLING_NONE, 0);
        });
        for (std::size_t i = 0; i < ids_.size(); i++) read_row(Row(values).subspan(i * width_, width_));
    }

    const Comparison &comparison_;
    Model model_;
    Context context_;
    std::vector<llm_token> ids_;
    bool embeds_ = false;
    std::size_t width_ = 0;
};

template <class Number>
std::vector<Number> numbers_of(const std::string &bytes) {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
}

void append(std::string &bytes, const void *data, std::size_t size) {
    bytes.append(static_cast<const char *>(data), size);
}

}  // namespace

std::vector<std::uint64_t> row_digests(const Comparison &comparison, const Variant &variant) {
    return numbers_of<std::uint64_t>(run_in_child([&] {
        std::string bytes;
        Evaluation(comparison, variant).run([&](Row row) {
            const std::uint64_t number = digest(row);
            append(bytes, &number, sizeof number);
        });
        return bytes;
    }));
}

std::vector<float> row_values(const Comparison &comparison, const Variant &variant, std::size_t row) {
    return numbers_of<float>(run_in_child([&] {
        std::string bytes;
        std::size_t index = 0;
        Evaluation(comparison, variant).run([&](Row values) {
            if (index++ == row) append(bytes, values.data(), values.size_bytes());
        });
        return bytes;
    }));
}

}  // namespace cli
