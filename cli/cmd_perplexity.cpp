// llm-cli perplexity: how well a model predicts a text, and how far it is from another one.
#include "interrupt.h"
#include "options.h"
#include "perplexity_base.h"
#include "perplexity_report.h"
#include "text_io.h"

#include <chrono>

namespace cli {
namespace {

constexpr long usual_window = 512;  // tokens

const char *const summary =
    "Measures how well a model predicts a text. The text is cut into windows of L = --context-length tokens (here 512, "
    "if "
    "it is not given). In each, the "
    "first half is only read, and every token after the first of the second half is predicted from all before it in "
    "the "
    "window: L - 1 - L/2 tokens. If the model wants texts to begin with a certain token (BOS), the first of each "
    "window "
    "is replaced by it. So does llama.cpp's llama-perplexity; the numbers can be compared.\n"
    "The loss is the mean of -ln p(token), the perplexity is exp(loss). Behind ± stands the standard error of a mean "
    "of "
    "independent values, s / sqrt(n); that of the perplexity is that of the loss times the perplexity.\n"
    "The base is another model (--against) or the stored logits of one (--save-base, then --base; four bytes for each "
    "token that is scored and each token of the vocabulary). Against it are shown: the divergence of Kullback and "
    "Leibler, which is the sum of p ln(p / q) over the vocabulary, p of the base and q of the model, with its "
    "quantiles; the ln of the ratio of the perplexities, which is the mean difference of the losses; how often both "
    "have the same first choice; and the change q - p of the probability of the text's tokens.";

Options make_options() {
    Options options("perplexity MODEL -f FILE [options]", summary);
    options.add_model();
    options.add_input_text();
    options.add_value("chunks", "N", "look at the first N windows only");
    options.add_value("against", "FILE", "GGUF file of another model, with the same vocabulary, as the base");
    options.add_value("base", "FILE", "stored base, which brings the text with it");
    options.add_value("save-base,save-all-logits", "FILE", "store the model's logits as a base");
    options.add_value("kl-divergence-base", "FILE", "with --kl-divergence the same as --base, else as --save-base");
    options.add_flag("kl-divergence", "see --kl-divergence-base");
    options.add_flag("json", "one JSON object");
    options.add_flag("jsonl", "a JSON object after each window, then one with all");
    options.add_weights();
    options.exclude("against", "base");
    return options;
}

// The files of stored logits that the command line names.
struct BaseFiles {
    std::optional<std::string> read, written;

    explicit BaseFiles(const Options &options) : read(options.value("base")), written(options.value("save-base")) {
        if (const auto path = options.value("kl-divergence-base"))
            (options.has("kl-divergence") ? read : written) = path;
        if (options.has("kl-divergence") && !read) throw UsageError("--kl-divergence needs --kl-divergence-base");
        if (!read) return;
        if (written || options.has("against"))
            throw UsageError("a base is read; --against and --save-base exclude that");
        if (options.has("file") || options.has("prompt") || options.has("context-length"))
            throw UsageError("a base brings its text and its windows with it; others cannot be given");
    }
};

// A model with a context that holds a window, and what it needs to be a source of logits.
struct Subject {
    Model model;
    Context context;

    Subject(Model opened, llm_context_options options, std::size_t window) : model(std::move(opened)) {
        options.context_length = std::int32_t(window);
        options.max_sequences = 1;
        context = new_context(model.get(), options);
    }
};

std::size_t vocabulary_size(const llm_model *model) { return model_info(model).vocabulary_size; }

class Measurement {
public:
    Measurement(const Options &options, const Windows &windows) : options_(options), windows_(windows) {}

    void run(LogitSource &tested, LogitSource *base, BaseWriter *writer) {
        for (std::size_t window = 0; window < windows_.count(); window++) {
            score_window(window, tested, base, writer);
            report_progress(window + 1);
        }
        show_status("");
        if (options_.has("json") || options_.has("jsonl"))
            write_json(scores_json(scores_, windows_));
        else
            write(scores_text(scores_, windows_));
    }

private:
    using Clock = std::chrono::steady_clock;

    void score_window(std::size_t index, LogitSource &tested, LogitSource *base, BaseWriter *writer) {
        const std::span<const llm_token> window = windows_.window(index);
        tested.begin(index);
        if (base) base->begin(index);
        for (std::size_t row = 0; row < windows_.rows();) {
            const std::size_t count = std::min(windows_.rows() - row, LogitSource::most_rows);
            tested.advance(count);
            if (base) base->advance(count);
            for (std::size_t i = 0; i < count; i++, row++)
                score_row(tested.row(i), base ? base->row(i) : std::span<const float>(),
                          std::size_t(window[windows_.first_row() + row + 1]), writer);
        }
        if (writer) writer->end_window();
    }

    void score_row(std::span<const float> row, std::span<const float> base_row, std::size_t token, BaseWriter *writer) {
        if (writer) writer->add(row);
        const Prediction prediction(row);
        if (base_row.empty())
            scores_.add(prediction, token);
        else
            scores_.add(prediction, Prediction(base_row), token);
    }

    void report_progress(std::size_t done) {
        if (options_.has("jsonl")) {
            Json event = {{"window", done}, {"of", windows_.count()}};
            event.update(brief_json(scores_));
            write_json(event);
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        const double left = seconds / double(done) * double(windows_.count() - done);
        show_status("window " + std::to_string(done) + " of " + std::to_string(windows_.count()) + ", " +
                    std::to_string(long(left + 0.5)) + " s left: " + brief_text(scores_));
    }

    const Options &options_;
    const Windows &windows_;
    Scores scores_;
    Clock::time_point begin_ = Clock::now();
};

Model open_other_model(const Options &options, const std::string &path, std::size_t vocabulary) {
    Model model = options.open_model(path, LLM_MODEL_OPTIONS_INIT);
    const std::size_t other = vocabulary_size(model.get());
    if (other != vocabulary)
        throw std::runtime_error("the two models cannot be compared: they have vocabularies of " +
                                 std::to_string(vocabulary) + " and " + std::to_string(other) + " tokens");
    return model;
}

// The window that the command line asks for; what it does not say is as the model can.
std::size_t window_length(const llm_context_options &context, const llm_model *model) {
    const std::uint32_t trained = model_info(model).context_length;
    std::size_t length = std::size_t(context.context_length);
    if (length == 0) length = trained > 0 ? std::min<std::size_t>(trained, usual_window) : usual_window;
    if (length < shortest_window)
        throw UsageError("--context-length: a window takes at least " + std::to_string(shortest_window) + " tokens");
    return length;
}

void measure_with_base(const Options &options, Model model, const llm_context_options &context,
                       const std::string &path) {
    StoredLogits base(path, vocabulary_size(model.get()));
    Windows windows = base.windows();
    const std::size_t limit = std::size_t(options.integer("chunks", 0, 0, INT32_MAX));
    if (limit > 0 && limit < windows.count()) windows.tokens.resize(limit * windows.length);
    const Subject subject(std::move(model), context, windows.length);
    const CancelOnInterrupt cancel(subject.context.get());
    ModelLogits logits(subject.context.get(), windows);
    Measurement(options, windows).run(logits, &base, nullptr);
}

void measure_text(const Options &options, Model model, const llm_context_options &context, const std::string &text,
                  const std::optional<std::string> &save_path) {
    const std::size_t length = window_length(context, model.get());
    const std::size_t limit = std::size_t(options.integer("chunks", 0, 0, INT32_MAX));
    const Windows windows = cut_windows(model.get(), text, length, limit);
    const std::size_t vocabulary = vocabulary_size(model.get());
    const Subject subject(std::move(model), context, length);
    ModelLogits logits(subject.context.get(), windows);

    std::optional<Subject> other;
    std::optional<ModelLogits> base;
    if (const auto path = options.value("against")) {
        Model opened = open_other_model(options, *path, vocabulary);
        if (cut_windows(opened.get(), text, length, limit).tokens != windows.tokens)
            throw std::runtime_error("the two models cannot be compared: they turn the text into other tokens");
        other.emplace(std::move(opened), context, length);
        base.emplace(other->context.get(), windows);
    }
    std::optional<BaseWriter> writer;
    if (save_path) writer.emplace(*save_path, windows, vocabulary);
    const CancelOnInterrupt cancel(subject.context.get());
    Measurement(options, windows).run(logits, base ? &*base : nullptr, writer ? &*writer : nullptr);
    if (writer) writer->finish();
}

int run(const Options &options) {
    const BaseFiles files(options);
    llm_context_options context = LLM_CONTEXT_OPTIONS_INIT;
    options.apply(context);
    options.integer("chunks", 0, 0, INT32_MAX);
    const std::string text = files.read ? "" : options.input_text();

    catch_interrupts();
    Model model = options.open_model(LLM_MODEL_OPTIONS_INIT);
    if (files.read)
        measure_with_base(options, std::move(model), context, *files.read);
    else
        measure_text(options, std::move(model), context, text, files.written);
    return exit_ok;
}

}  // namespace

const Command cmd_perplexity = {"perplexity", "measure how well a model predicts a text, and against another model",
                                make_options, run};

}  // namespace cli
