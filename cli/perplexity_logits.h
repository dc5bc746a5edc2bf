// A text cut into windows, and the logits that a model or a file gives for them.
#pragma once

#include "api.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace cli {

// Parts of equal length of a text. The tokens of a window's first half are only read; each of the others but the first
// of them is predicted from all before it.
struct Windows {
    std::size_t length = 0;
    std::vector<llm_token> tokens;  // length * count()

    std::size_t count() const { return tokens.size() / length; }
    // Rows of logits that matter: row i predicts the window's token first_row() + i + 1.
    std::size_t first_row() const { return length / 2; }
    std::size_t rows() const { return length - 1 - first_row(); }
    std::span<const llm_token> window(std::size_t index) const { return {tokens.data() + index * length, length}; }
};

constexpr std::size_t shortest_window = 3;  // with a row that matters

// Cuts a text into windows of that length, at most `limit` of them (0 = all); what is left over is not looked at. When
// the model wants texts to begin with a certain token, each window begins with it, in the place of its first.
Windows cut_windows(const llm_model *model, const std::string &text, std::size_t length, std::size_t limit);

// The rows of windows that matter, a few at a time.
class LogitSource {
public:
    virtual ~LogitSource() = default;
    // Windows come one after the other; of each all rows are asked for.
    virtual void begin(std::size_t window) = 0;
    // Makes the next rows, at most most_rows, those that row() gives.
    virtual void advance(std::size_t count) = 0;
    virtual std::span<const float> row(std::size_t index) = 0;

    static constexpr std::size_t most_rows = 64;
};

// Logits that a model computes.
class ModelLogits : public LogitSource {
public:
    // Both are borrowed.
    ModelLogits(llm_context *context, const Windows &windows);
    void begin(std::size_t window) override;
    void advance(std::size_t count) override;
    std::span<const float> row(std::size_t index) override;

private:
    llm_context *context_;
    const Windows &windows_;
    std::size_t vocabulary_size_;
    std::span<const llm_token> rest_;  // of the window
};

}  // namespace cli
