// llm-cli embed: the embeddings of texts.
#include "options.h"
#include "text_io.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace cli {
namespace {

const char *const pooling_words[] = {"default", "mean", "first", "last", "none"};  // in the order of LLM_POOLING_*

llm_pooling pooling_of(const Options &options) {
    const std::string word = options.value("pooling").value_or(pooling_words[LLM_POOLING_DEFAULT]);
    const auto *found = std::find(std::begin(pooling_words), std::end(pooling_words), word);
    if (found == std::end(pooling_words))
        throw UsageError("--pooling is '" + word + "', must be default, mean, first, last or none");
    return static_cast<llm_pooling>(found - std::begin(pooling_words));
}

// One list of numbers for each vector.
nlohmann::json rows_of(const std::vector<float> &values, std::size_t width) {
    nlohmann::json rows = nlohmann::json::array();
    for (auto first = values.begin(); first != values.end(); first += static_cast<std::ptrdiff_t>(width))
        rows.push_back(std::vector<float>(first, first + static_cast<std::ptrdiff_t>(width)));
    return rows;
}

Options make_options() {
    Options options("embed MODEL [TEXT] [options]", "Shows the embedding of a text as one JSON object.");
    options.add_model();
    options.add_input_text();
    options.add_value("pooling", "WORD", "mean, first (CLS) or last vector, none (all of them), or default");
    options.add_flag("normalize", "divide each vector by its Euclidean length");
    options.add_weights();
    return options;
}

int run(const Options &options) {
    const std::string text = options.input_text();
    const llm_pooling pooling = pooling_of(options);
    const std::uint32_t flags = options.has("normalize") ? LLM_EMBED_NORMALIZE : 0u;
    const Model model = options.open_model(LLM_MODEL_OPTIONS_INIT);
    llm_context_options context_options = LLM_CONTEXT_OPTIONS_INIT;
    options.apply(context_options);
    const Context context = new_context(model.get(), context_options);
    const std::vector<llm_token> ids = tokenize(model.get(), text, LLM_TOKENIZE_ADD_SPECIAL);
    const auto values = fill<std::vector<float>>([&](float *out, std::size_t capacity, std::size_t *count) {
        return llm_embed(out, capacity, count, context.get(), ids.data(), ids.size(), pooling, flags);
    });
    const nlohmann::ordered_json object = {{"tokens", ids.size()},
                                           {"embeddings", rows_of(values, model_info(model.get()).embedding_length)}};
    write(object.dump() + "\n");
    return exit_ok;
}

}  // namespace

const Command cmd_embed = {"embed", "show the embedding of a text", make_options, run};

}  // namespace cli
