// llm-cli embed: the embeddings of texts, as JSON.
#include "interrupt.h"
#include "json_output.h"
#include "options.h"
#include "text_io.h"

namespace cli {
namespace {

struct Pooling {
    const char *word;
    llm_pooling value;
};
constexpr Pooling poolings[] = {{"default", LLM_POOLING_DEFAULT}, {"mean", LLM_POOLING_MEAN},
                                {"first", LLM_POOLING_FIRST},     {"cls", LLM_POOLING_FIRST},
                                {"last", LLM_POOLING_LAST},       {"none", LLM_POOLING_NONE}};

llm_pooling pooling_of(const Options &options) {
    const std::string word = options.value("pooling").value_or(poolings[0].word);
    for (const Pooling &pooling : poolings)
        if (word == pooling.word) return pooling.value;
    throw UsageError("--pooling is '" + word + "', must be default, mean, first (or cls), last or none");
}

std::uint32_t flags_of(const Options &options) {
    const std::string number = options.value("embd-normalize").value_or("-1");
    if (number != "2" && number != "-1")
        throw UsageError("--embd-normalize is '" + number + "', must be 2 (Euclidean length) or -1 (not at all)");
    return number == "2" || options.has("normalize") ? LLM_EMBED_NORMALIZE : 0u;
}

// Without what ends them; a last line that has no end counts.
std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines = split(text, '\n');
    if (lines.back().empty()) lines.pop_back();
    for (std::string &line : lines)
        if (!line.empty() && line.back() == '\r') line.pop_back();
    return lines;
}

class Embedder {
public:
    explicit Embedder(const Options &options)
        : pooling_(pooling_of(options)), flags_(flags_of(options)), model_(options.open_model(LLM_MODEL_OPTIONS_INIT)) {
        llm_context_options settings = LLM_CONTEXT_OPTIONS_INIT;
        options.apply(settings);
        context_ = new_context(model_.get(), settings);
        width_ = model_info(model_.get()).embedding_length;
    }

    llm_context *context() const { return context_.get(); }
    std::size_t width() const { return width_; }

    // {"tokens": 3, "embedding": [...]}: a vector or, without pooling, a list of vectors.
    Json embed(const std::string &text) const {
        const std::vector<llm_token> ids = tokenize(model_.get(), text, LLM_TOKENIZE_ADD_SPECIAL);
        const auto values = fill<std::vector<float>>([&](float *out, std::size_t capacity, std::size_t *count) {
            return llm_embed(out, capacity, count, context_.get(), ids.data(), ids.size(), pooling_, flags_);
        });
        Json vectors = Json::array();
        for (std::size_t i = 0; i < values.size(); i++) {
            if (i % width_ == 0) vectors.push_back(Json::array());
            vectors.back().push_back(shortest(double(values[i])));
        }
        return {{"tokens", ids.size()}, {"embedding", pooling_ == LLM_POOLING_NONE ? vectors : vectors.at(0)}};
    }

private:
    llm_pooling pooling_;
    std::uint32_t flags_;
    Model model_;
    Context context_;
    std::size_t width_ = 0;
};

// One input's error says which one it was.
Json embed_line(const Embedder &embedder, const std::string &line, std::size_t index) {
    try {
        return embedder.embed(line);
    } catch (const ApiError &error) {
        throw ApiError(error.status(), "line " + std::to_string(index + 1) + ": " + error.what());
    }
}

// An object for each line as soon as it is known.
void write_lines(const Embedder &embedder, const std::vector<std::string> &lines) {
    for (std::size_t index = 0; index < lines.size(); index++) {
        Json event = {{"index", index}};
        event.update(embed_line(embedder, lines[index], index));
        write_json(event);
    }
}

void write_all(const Embedder &embedder, const Options &options, const std::string &text) {
    Json entries = Json::array();
    if (options.has("lines")) {
        const std::vector<std::string> lines = lines_of(text);
        for (std::size_t index = 0; index < lines.size(); index++)
            entries.push_back(embed_line(embedder, lines[index], index));
    } else {
        entries.push_back(embedder.embed(text));
    }
    if (options.has("json")) {
        write_json({{"dimensions", embedder.width()}, {"embeddings", entries}});
        return;
    }
    Json vectors = Json::array();
    for (const Json &entry : entries) vectors.push_back(entry.at("embedding"));
    write_json(options.has("lines") ? vectors : vectors.at(0));
}

Options make_options() {
    Options options("embed MODEL [TEXT] [options]", "Shows the embedding of a text as a JSON array of numbers.");
    options.add_model();
    options.add_input_text();
    options.add_flag("lines", "each line of the text is an input of its own; an array of their embeddings");
    options.add_value("pooling", "default|mean|first|cls|last|none",
                      "mean, first (CLS) or last vector, none (all of them), or default: as the model's file says");
    options.add_flag("normalize", "divide each vector by its Euclidean length");
    options.add_value("embd-normalize", "2|-1", "2 is the same as --normalize, -1 as nothing");
    options.add_flag("json", "one object: dimensions, and tokens and embedding of each input");
    options.add_flag("jsonl", "as --lines, but with an object for each, as soon as it is known");
    options.exclude("json", "jsonl");
    options.add_weights();
    return options;
}

int run(const Options &options) {
    const std::string text = options.input_text();
    catch_interrupts();
    const Embedder embedder(options);
    const CancelOnInterrupt cancel(embedder.context());
    if (options.has("jsonl"))
        write_lines(embedder, lines_of(text));
    else
        write_all(embedder, options, text);
    return exit_ok;
}

}  // namespace

const Command cmd_embed = {"embed", "show the embedding of a text", make_options, run};

}  // namespace cli
